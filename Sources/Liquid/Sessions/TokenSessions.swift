import Base
import Database
import Foundation
import OAuth
import TokenTree
import Vocabulary

extension LiquidSessionStore {
    /// The session of a token's family, whichever of its rotations is shown: made where there is none that goes on.
    /// `nil` when the token was revoked meanwhile. It has no cookie; it ends with the token.
    ///
    /// Of two sockets that open at once one waits, and finds the other's.
    func session(
        of token: TokenRow, device: String?, origin: String?, in transaction: any SQLExecutor
    ) async throws -> LiquidSession? {
        let lock = NodeID(digestOf: "liquid session of \(token.family)").lockNumber
        _ = try await transaction.query("select pg_advisory_xact_lock(\(lock))")
        try await store.hold(token.lineage, in: transaction)
        guard
            try await transaction.query(
                "select r.node from revocation r where r.node = any (\(token.lineage)) limit 1"
            ).isEmpty
        else { return nil }
        if let going = try await prolong(token, in: transaction) { return going }
        let id = randomness.identifier(), now = clock.now()
        let lineage = try await store.generations(of: [.epoch, LiquidSession.node(id)], in: transaction)
        return try await transaction.query(
            """
            insert into liquid_session as x (id, secret, lineage, begun_by, token_until, device, origin, created_at,
                last_seen, expires_at)
            values (\(id), \(randomness.bytes(32)), \(lineage), \(token.family), \(token.expiresAt),
                \(device.map { String($0.prefix(300)) }), \(origin), \(now), \(now), \(token.expiresAt))
            returning \(LiquidSession.columns)
            """
        ).first.map { try LiquidSession($0) }
    }

    /// An expired one too: its token was refreshed.
    private func prolong(_ token: TokenRow, in transaction: any SQLExecutor) async throws -> LiquidSession? {
        let now = clock.now()
        return try await transaction.query(
            """
            update liquid_session x set token_until = greatest(x.token_until, \(token.expiresAt)),
                expires_at = greatest(x.token_until, \(token.expiresAt)), last_seen = \(now)
            where x.id = (select y.id from liquid_session y where y.begun_by = \(token.family)
                    and not exists (select from revocation r where r.node = any (y.lineage))
                order by y.created_at desc, y.id limit 1)
            returning \(LiquidSession.columns)
            """
        ).first.map { try LiquidSession($0) }
    }
}

extension LiquidService {
    /// Who opens a socket with a token for `com.liquidauth.signaling`. Throws `OAuthError` for one that ended
    /// meanwhile.
    func signallingSession(
        _ holder: AuthenticatedToken, page: String?, device: String?, address: String?
    ) async throws -> SignallingSession {
        let store = sessions, id = try await session(of: holder, device: device, address: address).id
        return SignallingSession(
            session: id, isKept: true, origin: page, address: address, until: holder.token.expiresAt
        ) { try await store.find(id, in: $0)?.id }
    }

    /// GET /services/liquid/ice by such a token; throws as above, and `LiquidRefusal` for who asks too often. All
    /// tokens of a family count as one.
    func iceServers(
        _ holder: AuthenticatedToken, device: String?, address: String?
    ) async throws -> JSONValue {
        let session = try await session(of: holder, device: device, address: address)
        return try parts.iceServers.document(for: session, at: parts.clock.now())
    }

    private func session(
        of holder: AuthenticatedToken, device: String?, address: String?
    ) async throws -> LiquidSession {
        let store = sessions
        let session = try await parts.database.atomically { transaction in
            try await store.session(of: holder.token, device: device, origin: address, in: transaction)
        }
        guard let session else { throw OAuthError(.invalidToken, "the token has been revoked") }
        return session
    }

    /// The same session, which takes what a CONNECT shows in place of its cookie.
    func signallingSession(
        _ presented: PresentedSession, page: String?, authenticate: SocketAuthentication?
    ) -> SignallingSession {
        let sessions = parts.sessions
        return SignallingSession(
            session: presented.id, isKept: presented.session != nil, origin: page, address: presented.origin,
            authenticate: authenticate
        ) { try await sessions.keep(presented, in: $0) }
    }
}
