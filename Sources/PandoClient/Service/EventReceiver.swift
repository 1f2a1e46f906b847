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
}

/// Takes events by push (RFC 8935). They come in order, one at a time, at least once.
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

    private let signed: SignedJWT
    private let base: String
    private let journal: Journal

    /// `base` is the service's base URL, for which events are.
    public init(
        issuer: String, base: String, keys: KeySource, journal: Journal,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (signed, self.base, self.journal) = (SignedJWT(issuer: issuer, keys: keys, now: now), base, journal)
    }

    /// What to answer (RFC 8935, 2.2 and 2.3): 202, or an error. Throws what `journal` throws; answer that with 503, so
    /// that the event is sent again.
    public func receive(_ body: [UInt8]) async throws -> Transport.Response {
        let token: SecurityEventToken
        do {
            token = try await verified(String(decoding: body, as: UTF8.self))
        } catch let refused as Refused {
            let json: JSON = ["err": .string(refused.code), "description": .string(refused.description)]
            let type: Transport.Header = ("Content-Type", "application/json")
            return Transport.Response(status: 400, headers: [type], body: try json.bytes())
        } catch let away as OAuthError {
            return away.response
        }
        if try await !journal.isTaken(token.id) { try await journal.take(token) }
        return Transport.Response(status: 202)
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
        return SecurityEventToken(id: id, events: try events.sorted { $0.key < $1.key }.map(read), signer: signer)
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
