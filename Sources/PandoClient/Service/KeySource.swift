import Foundation

/// Where the keys of an issuer come from.
public struct KeySource: Sendable {
    /// Keys that may have made a signature by this `kid`; none where it knows no such key.
    /// - Throws: `OAuthError` `temporarily_unavailable` where they cannot be read now.
    let keys: @Sendable (_ keyID: String?) async throws -> [VerificationKey]

    /// Those, and no others.
    public static func fixed(_ keys: [VerificationKey]) -> KeySource {
        KeySource { keyID in keys.filter { keyID == nil || $0.keyID == keyID } }
    }

    /// The key set at `url` (RFC 7517, 5), remembered for ten minutes. A `kid` that is not in it is looked for anew, at
    /// most every ten seconds; while the issuer is away, what was read last serves for a day.
    public static func keySet(
        at url: String, transport: Transport, now: @escaping @Sendable () -> Date = { Date() }
    ) -> KeySource {
        let set = RemoteKeySet(url, transport: transport, now: now)
        return KeySource { try await set.keys($0) }
    }
}

actor RemoteKeySet {
    private static let fresh: TimeInterval = 600
    private static let lookAgain: TimeInterval = 10
    private static let usable: TimeInterval = 86_400

    private let url: String
    private let transport: Transport
    private let now: @Sendable () -> Date
    private var known: [VerificationKey] = []
    private var fetched: Date?
    private var asked: Date?
    private var loading: Task<[VerificationKey], any Error>?

    init(_ url: String, transport: Transport, now: @escaping @Sendable () -> Date) {
        (self.url, self.transport, self.now) = (url, transport, now)
    }

    func keys(_ keyID: String?) async throws -> [VerificationKey] {
        if isWithin(RemoteKeySet.fresh, of: fetched) {
            let found = fitting(keyID)
            if !found.isEmpty || isWithin(RemoteKeySet.lookAgain, of: asked) { return found }
        }
        do {
            try await load()
        } catch  where !(error is CancellationError) && isWithin(RemoteKeySet.usable, of: fetched) {
            // What was read last is good for a while.
        } catch let cancelled as CancellationError {
            throw cancelled
        } catch {
            throw OAuthError(
                503, .temporarilyUnavailable, "the keys of the issuer cannot be read now; try again", retryAfter: 2)
        }
        return fitting(keyID)
    }

    private func fitting(_ keyID: String?) -> [VerificationKey] { known.filter { keyID == nil || $0.keyID == keyID } }

    /// False for a moment in the future: a clock that was set back must not freeze the set.
    private func isWithin(_ seconds: TimeInterval, of moment: Date?) -> Bool {
        moment.map { (0..<seconds).contains(now().timeIntervalSince($0)) } ?? false
    }

    /// One at a time. A task of its own, as it belongs to all who wait.
    private func load() async throws {
        if let loading {
            _ = try await loading.value
            return
        }
        let url = self.url, transport = self.transport
        let task = Task { () async throws -> [VerificationKey] in
            let set = try await transport.send(.get(url)).json()
            guard let keys = set["keys"]?.array else { throw UnexpectedAnswer(description: "it is no key set") }
            // Keys of other kinds are for others.
            return keys.compactMap { try? VerificationKey($0) }
        }
        (loading, asked) = (task, now())
        defer { loading = nil }
        (known, fetched) = (try await task.value, now())
    }
}
