import Base
import Foundation
import HTTP

/// Metadata of providers, remembered for an hour; of one that does not answer, for a day. One that does not answer is
/// left alone for some seconds: whoever asks for logins, or sends tokens for logout, makes no flood of requests of it.
actor ProviderDiscovery {
    private struct Known {
        let metadata: ProviderMetadata
        let at: Date
    }

    static let fresh: TimeInterval = 3_600, usable: TimeInterval = 86_400, most = 500
    static let pause: TimeInterval = 5

    private let exchange: @Sendable (OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer
    private let allowsLoopback: Bool
    private let clock: WallClock
    private var known: [String: Known] = [:]
    private var failed: [String: (refusal: UpstreamRefusal, at: Date)] = [:]

    init(
        exchange: @escaping @Sendable (OutgoingHTTP.Request) async throws -> OutgoingHTTP.Answer,
        allowsLoopback: Bool, clock: WallClock
    ) {
        (self.exchange, self.allowsLoopback, self.clock) = (exchange, allowsLoopback, clock)
    }

    /// `isNew`: asked now, whatever is remembered.
    func metadata(of issuer: String, isNew: Bool = false) async throws(UpstreamRefusal) -> ProviderMetadata {
        let now = clock.now(), remembered = known[issuer]
        if !isNew, let remembered, (0..<Self.fresh).contains(now.timeIntervalSince(remembered.at)) {
            return remembered.metadata
        }
        do {
            let metadata = try await asked(issuer, isNew: isNew, at: now)
            if known.count >= Self.most, let oldest = known.min(by: { $0.value.at < $1.value.at })?.key {
                known[oldest] = nil
            }
            known[issuer] = Known(metadata: metadata, at: now)
            return metadata
        } catch  where error.kind == .unreachable && !isNew {
            guard let remembered, (0..<Self.usable).contains(now.timeIntervalSince(remembered.at)) else { throw error }
            return remembered.metadata
        }
    }

    private func asked(
        _ issuer: String, isNew: Bool, at now: Date
    ) async throws(UpstreamRefusal) -> ProviderMetadata {
        if !isNew, let last = failed[issuer], (0..<Self.pause).contains(now.timeIntervalSince(last.at)) {
            throw last.refusal
        }
        do {
            let metadata = try await ask(issuer)
            failed[issuer] = nil
            return metadata
        } catch {
            if failed.count >= Self.most { failed = [:] }
            failed[issuer] = (error, now)
            throw error
        }
    }

    /// The path of OpenID Connect Discovery, 4, and where that is not there, of RFC 8414, 3.1.
    private func ask(_ issuer: String) async throws(UpstreamRefusal) -> ProviderMetadata {
        guard let address = WebAddress(issuer), address.query == nil else { throw .invalid("the issuer is no URL") }
        let places = [
            address.withoutQuery + "/.well-known/openid-configuration",
            address.origin + "/.well-known/oauth-authorization-server" + address.path,
        ]
        var last = UpstreamRefusal.unreachable("metadata")
        for place in places {
            let answer: OutgoingHTTP.Answer
            do {
                answer = try await exchange(
                    OutgoingHTTP.Request(method: "GET", url: place, headers: [("Accept", "application/json")]))
            } catch {
                throw .unreachable("metadata")
            }
            guard answer.status == 200 else {
                if answer.status < 500 { last = .unreachable("metadata: status \(answer.status)") }
                continue
            }
            guard let json = answer.json else { throw .invalid("metadata is no JSON") }
            return try ProviderMetadata(json, issuer: issuer, allowsLoopback: allowsLoopback)
        }
        throw last
    }
}
