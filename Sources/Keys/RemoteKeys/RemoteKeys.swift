import Base
import Foundation

/// The key sets of other issuers, by URL (RFC 7517, 5; OpenID Connect Discovery `jwks_uri`).
///
/// A set is cached for 10 minutes. A kid that is not in it fetches again, at most every 10 s per URL, so a flood of
/// invented kids costs the peer nothing. A peer that fails is left alone for 5 s and its last good set serves for up to
/// a day. One fetch per URL is under way at a time. At most 64 keys of a set and 256 URLs are remembered.
///
/// Who names a URL may let us wait there, and each who waits keeps a place for which others wait: so 128 wait at most.
public actor RemoteKeys {
    /// Nothing cached, and the peer gives no key set. `cause` is for the log, `description` for the wire.
    public struct Unreachable: Error, CustomStringConvertible {
        public let cause: String
        public let description = "the key set of the issuer cannot be read at the moment"
    }

    static let keysPerSet = 64
    static let sets = 256
    static let candidates = 8
    static let waiters = 128

    private let fetch: @Sendable (String) async throws -> [UInt8]
    private let clock: WallClock
    private var known: [String: RemoteKeySet] = [:]
    private var underWay: [String: Task<Void, Never>] = [:]
    private var causes: [String: String] = [:]
    private(set) var waiting = 0

    /// `fetch` gets the document of a URL. It bounds size, time, redirects and addresses, since the URL comes from a
    /// peer's registration, and throws for every status but 200.
    public init(fetch: @escaping @Sendable (String) async throws -> [UInt8], clock: WallClock) {
        (self.fetch, self.clock) = (fetch, clock)
    }

    /// Keys that may have made a signature with this `alg`: those with this `kid`, or without a `kid` all that fit; 8
    /// at most. Empty when the set is known and none fits. Throws `Unreachable`.
    public func key(kid: String?, algorithm: String, from url: String) async throws -> [JSONWebKey] {
        try await keys(from: url) { (kid == nil || $0.kid == kid) && $0.accepts(algorithm: algorithm) }
    }

    /// Keys with this thumbprint (RFC 7638), such as that of a certificate (RFC 8705, 2.2). Otherwise the same.
    public func key(thumbprint: String, from url: String) async throws -> [JSONWebKey] {
        try await keys(from: url) { $0.thumbprint == thumbprint }
    }

    private func keys(from url: String, where fits: (JSONWebKey) -> Bool) async throws -> [JSONWebKey] {
        func fitting() -> [JSONWebKey] { Array((known[url]?.keys ?? []).filter(fits).prefix(RemoteKeys.candidates)) }
        let found = fitting()
        switch remembered(url, isKnown: !found.isEmpty) {
        case .serve: return found
        case .serveAndFetch:
            _ = refresh(url)
            return found
        case .fetch:
            guard waiting < RemoteKeys.waiters else {
                guard !found.isEmpty, known[url]?.isUsable(at: clock.now()) == true else {
                    throw Unreachable(cause: "\(waiting) wait for key sets")
                }
                _ = refresh(url)
                return found
            }
            waiting += 1
            await refresh(url).value
            waiting -= 1
            if let cause = causes[url] { throw Unreachable(cause: cause) }
            return fitting()
        case .refuse: throw Unreachable(cause: causes[url] ?? "the last attempt failed")
        }
    }

    private func remembered(_ url: String, isKnown: Bool) -> RemoteKeySet.Action {
        if known[url] == nil { makeRoom() }
        return known[url, default: RemoteKeySet(usedAt: clock.now())].action(isKnown: isKnown, now: clock.now())
    }

    /// Forgets the set that nobody has asked for longest.
    private func makeRoom() {
        guard known.count >= RemoteKeys.sets else { return }
        let idle = known.filter { underWay[$0.key] == nil }
        guard let oldest = idle.min(by: { $0.value.usedAt < $1.value.usedAt })?.key else { return }
        known[oldest] = nil
        causes[oldest] = nil
    }

    /// Joins the fetch under way or starts one. A task of its own, because it belongs to all who wait: the first of
    /// them being cancelled must not fail the others.
    private func refresh(_ url: String) -> Task<Void, Never> {
        if let task = underWay[url] { return task }
        let task = Task { await self.load(url) }
        underWay[url] = task
        return task
    }

    private func load(_ url: String) async {
        do {
            let keys = try await JSONWebKey.usable(JSONReader.read(try await fetch(url)), atMost: RemoteKeys.keysPerSet)
            known[url]?.succeeded(keys, at: clock.now())
            causes[url] = nil
        } catch {
            let serves = known[url]?.failed(at: clock.now()) ?? false
            causes[url] = serves ? nil : "\(error)"
        }
        underWay[url] = nil
    }
}
