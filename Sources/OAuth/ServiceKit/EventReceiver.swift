import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// Takes Security Event Tokens of the IdP by push (RFC 8935): a revoked ancestor is one row here too, a move changes
/// the lineage below the instance.
public struct EventReceiver: Sendable {
    /// RFC 8935, 2.4: what is wrong with a token.
    public struct Refused: Error, Sendable {
        public let code: String
        public let description: String
        /// 503 when trying again makes sense.
        public let status: Int

        public init(code: String, description: String, status: Int) {
            (self.code, self.description, self.status) = (code, description, status)
        }
    }

    let realm: Realm
    let issuer: String
    let store: TokenStore
    let revocation: Revocation
    let remoteKeys: RemoteKeys
    let clock: WallClock

    public init(
        realm: Realm, issuer: String, store: TokenStore, revocation: Revocation, remoteKeys: RemoteKeys,
        clock: WallClock
    ) {
        (self.realm, self.issuer, self.store, self.revocation) = (realm, issuer, store, revocation)
        (self.remoteKeys, self.clock) = (remoteKeys, clock)
    }

    /// Returns once the effect is durable: then the sender may forget. Receiving one twice is harmless.
    public func receive(_ text: String) async throws {
        let jwt = try await verified(text)
        guard let events = jwt["events"]?.object, !events.isEmpty else {
            throw refused("invalid_request", "events is missing")
        }
        try await store.database.atomically { transaction in
            for (name, body) in events {
                try await apply(name, body, jti: jwt.string("jti") ?? "", in: transaction)
                if let seq = body["seq"]?.integer { try await note(seq, in: transaction) }
            }
        }
    }

    private func verified(_ text: String) async throws -> JWT {
        guard let jwt = try? JWT(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw refused("invalid_request", "the body is not a Security Event Token")
        }
        guard jwt.type == JWTType.securityEvent.rawValue else {
            throw refused("invalid_request", "typ must be secevent+jwt")
        }
        guard jwt.string("iss") == issuer else { throw refused("invalid_issuer", "iss is not \(issuer)") }
        guard jwt.audiences.contains(realm.base) else { throw refused("invalid_audience", "aud is not \(realm.base)") }
        guard jwt.hasBegun(at: clock.now()) else {
            throw refused("invalid_request", "nbf lies in the future, or is no number")
        }
        let keys: [JSONWebKey]
        do {
            keys = try await remoteKeys.key(kid: jwt.kid, algorithm: jwt.algorithm, from: issuer + "/jwks.json")
        } catch is RemoteKeys.Unreachable {
            throw Refused(
                code: "invalid_key", description: "the issuer's keys cannot be read now; send again", status: 503)
        }
        guard let signer = keys.first(where: { jwt.isSigned(by: $0) }) else {
            throw refused("invalid_key", "the signature is by no key of \(issuer)")
        }
        // A key set that this process cached may still hold a key that has been revoked.
        guard try await !store.isRevoked(ForeignNode.signer(signer, of: issuer)) else {
            throw refused("invalid_key", "the signature is by a revoked key")
        }
        return jwt
    }

    private func apply(_ name: String, _ body: JSONValue, jti: String, in transaction: any SQLExecutor) async throws {
        func node(_ member: String) throws -> NodeID {
            guard let pseudonym = body[member]?.string, !pseudonym.isEmpty else {
                throw refused("invalid_request", "\(name) has no \(member)")
            }
            return ForeignNode.id(pseudonym, of: issuer)
        }
        switch name {
        case "urn:pando:event:ended":
            let actor = AuditActor(name: "issuer:\(issuer)", reason: "event \(jti)")
            try await revocation.revokeForeign(
                try node("node"), label: "foreign:\(body["node"]?.string ?? "")", by: actor, in: transaction)
        case "urn:pando:event:moved":
            try await revocation.move(
                anchor: try node("node"), from: try node("from"), to: try node("to"), in: transaction)
        default:
            // A later kind of event says nothing to us; acknowledging it lets the next one come.
            break
        }
    }

    private func note(_ seq: Int, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            """
            insert into event_received as e (realm, issuer, seq, at)
                values (\(realm.id), \(issuer), \(seq), \(clock.now()))
            on conflict (realm, issuer) do update set seq = greatest(e.seq, excluded.seq), at = excluded.at
            """)
    }

    private func refused(_ code: String, _ description: String) -> Refused {
        Refused(code: code, description: description, status: 400)
    }
}
