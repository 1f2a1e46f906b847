import Foundation

/// A Security Event Token of the federation (RFC 8417).
public struct SecurityEventToken: Sendable {
    public enum Event: Sendable, Equatable {
        /// Every token with this ancestor is dead from now on.
        case ended(node: String)
        /// Below `node`, the ancestor `from` is replaced by `to`: an app was updated.
        case moved(node: String, from: String, to: String)
        /// Says nothing to this version; take it, or the next one does not come.
        case other(String, JSON)
    }

    public let id: String
    public let events: [Event]
    /// `signer:KID`: the name under which the key that signed it would end.
    public let signer: String
    /// Counts the events to the service, from 1; `nil` where it says none.
    public let sequence: Int?
    /// `iat`.
    public let issuedAt: Date?
    /// Of a heartbeat: the number of the newest event.
    let latest: Int?
}

/// Takes events by push (RFC 8935). They come in order, one at a time, at least once. With `CatchUp`, what is missing
/// is fetched before what comes after it is taken.
public struct EventReceiver: Sendable {
    /// What a service does with an event.
    public struct Journal: Sendable {
        let isTaken: @Sendable (_ id: String) async throws -> Bool
        let isRevoked: @Sendable (_ signer: String) async throws -> Bool
        let take: @Sendable (SecurityEventToken) async throws -> Void

        /// `isTaken`: whether a token of this `jti` was taken before; it is acknowledged and passed over. `isRevoked`:
        /// whether `signer:KID` has ended: a key set that was read earlier may still hold a stolen key. `take` writes
        /// effect and `jti` in one transaction, and returns once they are durable: then the sender forgets.
        public init(
            isTaken: @escaping @Sendable (_ id: String) async throws -> Bool,
            isRevoked: @escaping @Sendable (_ signer: String) async throws -> Bool,
            take: @escaping @Sendable (SecurityEventToken) async throws -> Void
        ) {
            (self.isTaken, self.isRevoked, self.take) = (isTaken, isRevoked, take)
        }
    }

    private static let heartbeat = "urn:pando:event:heartbeat"

    private let signed: SignedJWT
    private let base: String
    private let journal: Journal
    private let catchUp: CatchUp?

    /// `base` is the service's base URL, for which events are.
    public init(
        issuer: String, base: String, keys: KeySource, journal: Journal, catchUp: CatchUp? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (signed, self.base, self.journal) = (SignedJWT(issuer: issuer, keys: keys, now: now), base, journal)
        self.catchUp = catchUp
    }

    /// What to answer (RFC 8935, 2.2 and 2.3): 202, or an error; 503 where events before it cannot be fetched now, so
    /// that it is sent again. Throws what `journal` throws; answer that with 503, too.
    public func receive(_ body: [UInt8]) async throws -> Transport.Response {
        do {
            try await take(try await verified(String(decoding: body, as: UTF8.self)))
        } catch let refused as Refused {
            let json: JSON = ["err": .string(refused.code), "description": .string(refused.description)]
            let type: Transport.Header = ("Content-Type", "application/json")
            return Transport.Response(status: 400, headers: [type], body: try json.bytes())
        } catch let away as OAuthError {
            return away.response
        }
        return Transport.Response(status: 202)
    }

    private func take(_ token: SecurityEventToken) async throws {
        if let latest = token.latest {
            // A heartbeat is no event: there is nothing to be taken of it.
            try await fetch(through: latest)
        } else {
            if let sequence = token.sequence { try await fetch(through: sequence - 1) }
            if try await !journal.isTaken(token.id) { try await journal.take(token) }
        }
        if let catchUp, let issuedAt = token.issuedAt { try await catchUp.heard(min(issuedAt, signed.now())) }
    }

    private func fetch(through last: Int) async throws {
        guard let catchUp else { return }
        var position = try await catchUp.position(), isMore = true
        while isMore, position < last {
            let page = try await catchUp.missed.page(after: position)
            var tokens: [SecurityEventToken] = []
            for text in page.texts {
                // One that makes no sense would be refused if it was pushed, too.
                do { tokens.append(try await verified(text)) } catch is Refused {}
            }
            tokens.sort { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
            for token in tokens where (token.sequence ?? .max) <= last {
                if try await !journal.isTaken(token.id) { try await journal.take(token) }
            }
            guard let reached = tokens.last?.sequence, reached > position else { return }
            (position, isMore) = (reached, page.isMore)
        }
    }

    private struct Refused: Error {
        let code: String
        let description: String
    }

    private func verified(_ body: String) async throws -> SecurityEventToken {
        let text = body.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let unverified = try? JWT(text) else {
            throw Refused(code: "invalid_request", description: "the body is not a Security Event Token")
        }
        guard unverified.claims["iss"]?.string == signed.issuer else {
            throw Refused(code: "invalid_issuer", description: "iss is not \(signed.issuer)")
        }
        guard unverified.audiences.contains(base) else {
            throw Refused(code: "invalid_audience", description: "aud is not \(base)")
        }
        let jwt: JWT, key: VerificationKey
        do {
            (jwt, key) = try await signed.verified(text, type: "secevent+jwt")
        } catch let refused as JWTRefused {
            let code = refused.isOfUnknownKey ? "invalid_key" : "invalid_request"
            throw Refused(code: code, description: refused.description)
        }
        let signer = "signer:" + (key.keyID ?? key.thumbprint)
        guard try await !journal.isRevoked(signer) else {
            throw Refused(code: "invalid_key", description: "the signature is by a revoked key")
        }
        guard let id = jwt.id, let events = jwt.claims["events"]?.object, !events.isEmpty else {
            throw Refused(code: "invalid_request", description: "jti or events is missing")
        }
        let latest = events[EventReceiver.heartbeat].map { $0["seq"]?.integer ?? -1 }
        guard latest.map({ $0 >= 0 }) ?? true else {
            throw Refused(code: "invalid_request", description: "\(EventReceiver.heartbeat) has no seq")
        }
        let sequences = events.filter { $0.key != EventReceiver.heartbeat }.compactMap { $0.value["seq"]?.integer }
        return SecurityEventToken(
            id: id, events: try events.sorted { $0.key < $1.key }.map(read), signer: signer,
            sequence: sequences.filter { $0 > 0 }.min(), issuedAt: jwt.date("iat"), latest: latest)
    }

    private func read(_ name: String, _ body: JSON) throws -> SecurityEventToken.Event {
        func member(_ member: String) throws -> String {
            guard let text = body[member]?.string, !text.isEmpty else {
                throw Refused(code: "invalid_request", description: "\(name) has no \(member)")
            }
            return text
        }
        return switch name {
        case "urn:pando:event:ended": .ended(node: try member("node"))
        case "urn:pando:event:moved":
            .moved(node: try member("node"), from: try member("from"), to: try member("to"))
        default: .other(name, body)
        }
    }
}
