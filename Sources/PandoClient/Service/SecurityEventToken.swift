import Foundation

/// A Security Event Token of the federation (RFC 8417).
public struct SecurityEventToken: Sendable {
    public enum Event: Sendable, Equatable {
        /// Every token with this ancestor is dead from now on.
        case ended(node: String)
        /// Below `node`, the ancestor `from` is replaced by `to`: an app was updated.
        case moved(node: String, from: String, to: String)
        /// Which third-party apps the service takes, all of it: those of `allow`, not those of `deny`, by their bundle
        /// ids, and of others all (`open`) or none (`closed`).
        case policy(default: String, allow: [String], deny: [String])
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

/// What is wrong with an event (RFC 8935, 2.4).
struct EventRefused: Error {
    let code: String
    let description: String
}

/// Reads Security Event Tokens of the issuer for one service. Whether its key was revoked is for the caller to know.
struct SecurityEventReader: Sendable {
    private static let heartbeat = "urn:pando:event:heartbeat"

    let signed: SignedJWT
    let base: String

    /// - Throws: `EventRefused`; `OAuthError` where the keys cannot be read now.
    func read(_ body: String) async throws -> SecurityEventToken {
        let text = body.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let unverified = try? JWT(text) else {
            throw EventRefused(code: "invalid_request", description: "the body is not a Security Event Token")
        }
        guard unverified.claims["iss"]?.string == signed.issuer else {
            throw EventRefused(code: "invalid_issuer", description: "iss is not \(signed.issuer)")
        }
        guard unverified.audiences.contains(base) else {
            throw EventRefused(code: "invalid_audience", description: "aud is not \(base)")
        }
        let jwt: JWT, key: VerificationKey
        do {
            (jwt, key) = try await signed.verified(text, type: "secevent+jwt")
        } catch let refused as JWTRefused {
            let code = refused.isOfUnknownKey ? "invalid_key" : "invalid_request"
            throw EventRefused(code: code, description: refused.description)
        }
        let signer = "signer:" + (key.keyID ?? key.thumbprint)
        guard let id = jwt.id, let events = jwt.claims["events"]?.object, !events.isEmpty else {
            throw EventRefused(code: "invalid_request", description: "jti or events is missing")
        }
        let latest = events[SecurityEventReader.heartbeat].map { $0["seq"]?.integer ?? -1 }
        guard latest.map({ $0 >= 0 }) ?? true else {
            throw EventRefused(code: "invalid_request", description: "\(SecurityEventReader.heartbeat) has no seq")
        }
        let sequences = events.filter { $0.key != SecurityEventReader.heartbeat }.compactMap {
            $0.value["seq"]?.integer
        }
        return SecurityEventToken(
            id: id, events: try events.sorted { $0.key < $1.key }.map(event), signer: signer,
            sequence: sequences.filter { $0 > 0 }.min(), issuedAt: jwt.date("iat"), latest: latest)
    }

    private func event(_ name: String, _ body: JSON) throws -> SecurityEventToken.Event {
        func member(_ member: String) throws -> String {
            guard let text = body[member]?.string, !text.isEmpty else {
                throw EventRefused(code: "invalid_request", description: "\(name) has no \(member)")
            }
            return text
        }
        func names(_ member: String) throws -> [String] {
            guard let names = body[member]?.strings else {
                throw EventRefused(code: "invalid_request", description: "\(name) has no \(member)")
            }
            return names
        }
        return switch name {
        case "urn:pando:event:ended": .ended(node: try member("node"))
        case "urn:pando:event:moved":
            .moved(node: try member("node"), from: try member("from"), to: try member("to"))
        case "urn:pando:event:policy":
            .policy(default: try member("default"), allow: try names("allow"), deny: try names("deny"))
        default: .other(name, body)
        }
    }
}
