import Base
import Database
import Federation
import Foundation
import Keys
import TokenTree
import Vocabulary

/// Takes Security Event Tokens of the IdP by push (RFC 8935): a revoked ancestor is one row here too, a move changes
/// the lineage below the instance.
///
/// Events take effect in the order of their numbers. Where one is missing, it is fetched first: a service in the server
/// reads it where the IdP wrote it, since they share a database; one at another server asks the issuer for it. Where it
/// cannot be had, what comes takes effect all the same, but the service no longer counts as one that has heard all: if
/// it fails closed, it does so until it has. An event that comes again changes nothing.
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

    /// Events that are fetched in one transaction.
    static let batch = 200
    /// Numbers of events, as JSON has whole ones everywhere (RFC 8259, 6).
    static let places = 0...1 << 53
    static let heartbeat = "urn:pando:event:heartbeat"

    let realm: Realm
    let issuer: String
    let store: TokenStore
    let revocation: Revocation
    let remoteKeys: RemoteKeys
    let clock: WallClock
    /// Of a service at another server than its issuer's.
    let elsewhere: ElsewhereService?
    let received: ReceivedEvents

    public init(
        realm: Realm, issuer: String, store: TokenStore, revocation: Revocation, remoteKeys: RemoteKeys,
        clock: WallClock, elsewhere: ElsewhereService? = nil
    ) {
        (self.realm, self.issuer, self.store, self.revocation) = (realm, issuer, store, revocation)
        (self.remoteKeys, self.clock, self.elsewhere) = (remoteKeys, clock, elsewhere)
        received = ReceivedEvents(realm: realm.id, issuer: issuer, clock: clock)
    }

    /// Returns once the effect is durable: then the sender may forget. Receiving one twice is harmless.
    public func receive(_ text: String) async throws {
        let jwt = try await verified(text)
        guard let events = jwt["events"]?.object, !events.isEmpty else {
            throw refused("invalid_request", "events is missing")
        }
        let sent = jwt.date("iat")
        for (name, body) in events {
            if name == EventReceiver.heartbeat {
                try await hear(body, at: sent)
            } else {
                try await take(name, body, jti: jwt.string("jti") ?? "", at: sent)
            }
        }
    }

    /// Says which event is the newest, and is none itself.
    private func hear(_ body: JSONValue, at sent: Date?) async throws {
        guard let latest = body["seq"]?.integer, EventReceiver.places.contains(latest) else {
            throw refused("invalid_request", "\(EventReceiver.heartbeat) has no seq")
        }
        guard try await catchUp(to: latest) else { return }
        try await store.database.atomically { transaction in
            _ = try await received.position(in: transaction)
            try await received.advance(to: latest, asOf: sent, in: transaction)
        }
    }

    private func take(_ name: String, _ body: JSONValue, jti: String, at sent: Date?) async throws {
        let seq = body["seq"]?.integer
        guard seq.map(EventReceiver.places.contains) ?? true else {
            throw refused("invalid_request", "seq is no number of an event")
        }
        var isWhole = true
        while true {
            let isTaken = try await store.database.atomically { transaction in
                let position = try await received.position(in: transaction)
                if isWhole, let seq, seq - 1 > position { return false }
                // After the federation had to restore a backup its numbers may start lower, so what may be new takes
                // effect whatever its number. That an end came before is seen by its row; an old move is passed over.
                let isOld = seq.map { $0 <= position } ?? false
                try await apply(name, body, jti: jti, isOld: isOld, in: transaction)
                if isWhole, let seq { try await received.advance(to: seq, asOf: sent, in: transaction) }
                return true
            }
            if isTaken { return }
            isWhole = try await catchUp(to: (seq ?? 1) - 1)
        }
    }

    private enum CaughtUp: Sendable { case partly, wholly, never }

    /// What was missed takes effect first. What the issuer no longer keeps is lost; so is nothing that is newer. False
    /// where it was written in another database, whose server does not give it now.
    private func catchUp(to last: Int) async throws -> Bool {
        if let issuer = elsewhere?.issuer { return try await catchUp(to: last, from: issuer) }
        var caughtUp = CaughtUp.partly
        while caughtUp == .partly {
            caughtUp = try await store.database.atomically { transaction in
                let position = try await received.position(in: transaction)
                guard position < last else { return .wholly }
                guard try await StoredEvent.areWritten(for: realm.id, through: last, in: transaction) else {
                    return .never
                }
                let missed = try await StoredEvent.missed(
                    by: realm.id, after: position, through: last, limit: EventReceiver.batch, in: transaction)
                for event in missed {
                    // One that makes no sense was refused when it was pushed, before anything was written.
                    do {
                        try await apply(event.name, event.body, jti: event.jti, isOld: false, in: transaction)
                    } catch is Refused {}
                }
                let isLast = missed.count < EventReceiver.batch
                try await received.advance(
                    to: isLast ? last : missed.last?.seq ?? last, asOf: nil, in: transaction)
                return isLast ? .wholly : .partly
            }
        }
        return caughtUp == .wholly
    }

    func verified(_ text: String) async throws -> JWT {
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

    func apply(
        _ name: String, _ body: JSONValue, jti: String, isOld: Bool, in transaction: any SQLExecutor
    ) async throws {
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
            let (anchor, from, to) = (try node("node"), try node("from"), try node("to"))
            if !isOld { try await revocation.move(anchor: anchor, from: from, to: to, in: transaction) }
        case "urn:pando:event:policy":
            // In the server that told it, it holds already.
            guard let elsewhere, !isOld, let members = body.object else { return }
            do {
                try await elsewhere.obey(try AppPolicy().changed(by: members), of: realm.id, in: transaction)
            } catch let refusal as AppPolicy.Refused {
                throw refused("invalid_request", "\(name): \(refusal.description)")
            }
        default:
            // A later kind of event says nothing to us; acknowledging it lets the next one come.
            break
        }
    }

    func refused(_ code: String, _ description: String) -> Refused {
        Refused(code: code, description: description, status: 400)
    }
}
