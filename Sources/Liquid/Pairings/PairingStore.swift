import Base
import Database
import Foundation
import Passkeys
import TokenTree

/// Rows of `liquid_pairing`, and the two sessions of each.
struct PairingStore: Sendable {
    let store: TokenStore
    let clock: WallClock
    let randomness: Randomness
    private var links: LinkStore { LinkStore(clock: clock) }

    /// A page's invitation: it has the id of a request, and the place of its linker. `nil` when the id is taken.
    func invite(
        _ request: RequestID, id: String, page: String?, device: String?, origin: String?,
        in transaction: any SQLExecutor
    ) async throws -> JSONValue? {
        let session = randomness.identifier(), secret = randomness.secretText(), now = clock.now()
        let expires = now.addingTimeInterval(LinkStore.requestLifetime)
        let lineage = try await store.generations(of: [.epoch, LiquidSession.node(session)], in: transaction)
        try await insert(session, lineage, device: device, origin: origin, expires: expires, in: transaction)
        let made = try await transaction.execute(
            """
            insert into liquid_pairing (id, provider, provider_secret, created_at, expires_at)
            values (\(id), \(session), \(LiquidPairing.hash(secret)), \(now), \(expires))
            on conflict (id) do nothing
            """)
        guard made == 1, let row = try await links.claim(request, by: session, origin: page, in: transaction),
            row.linker == session, row.session == nil
        else { return nil }
        return LiquidPairing.issued(id, .provider, credential: secret, expires: expires)
    }

    /// A wallet was let in, and linked with the page that invited: the pairing lasts from now on, below the wallet's
    /// passkey. What the wallet keeps; `nil` where its request is no invitation.
    func approve(_ entered: EnteredWallet, in transaction: any SQLExecutor) async throws -> JSONValue? {
        guard let request = RequestID(entered.requestID), let id = request.json.string else { return nil }
        let now = clock.now(), expires = now.addingTimeInterval(LiquidPairing.lifetime)
        let provider: String? = try await transaction.query(
            """
            select p.provider from liquid_pairing p join signalling_link l on l.request = \(request.key)
            where p.id = \(id) and p.controller is null and p.expires_at > \(now) and l.linker = p.provider
                and l.session = \(entered.session) and l.linked_at is not null for update of p
            """
        ).first.map { try $0("provider") }
        guard let provider else { return nil }
        let session = randomness.identifier(), secret = randomness.secretText()
        let lineage = try await store.generations(
            of: [
                .epoch, Passkey.node(entered.credential), LiquidSession.node(provider), LiquidSession.node(session),
            ], in: transaction)
        try await store.hold(lineage, in: transaction)
        guard try await transaction.query("select r.node from revocation r where r.node = any (\(lineage))").isEmpty
        else { throw DatabaseError.serialization }
        try await insert(
            session, lineage, wallet: entered, device: "paired wallet", origin: nil, expires: expires, in: transaction)
        _ = try await transaction.batch([
            "update liquid_session x set expires_at = \(expires) where x.id = \(provider)",
            """
            update liquid_pairing p set controller = \(session), controller_secret = \(LiquidPairing.hash(secret)),
                wallet = \(entered.wallet), credential = \(entered.credential), approved_at = \(now),
                expires_at = \(expires)
            where p.id = \(id) and p.controller is null
            """,
        ])
        return LiquidPairing.issued(id, .controller, credential: secret, expires: expires)
    }

    /// `nil` for a credential that is of none, or of one that is over by itself.
    func find(_ shown: PairingCredential, in executor: any SQLExecutor) async throws -> LiquidPairing? {
        let secret: SQL = shown.role == .provider ? "p.provider_secret" : "p.controller_secret"
        return try await executor.query(
            """
            select p.id, p.wallet, p.credential, p.provider, p.controller, p.expires_at, exists (
                select from liquid_session s join revocation r on r.node = any (s.lineage)
                where s.id = p.provider or s.id = p.controller) as is_revoked
            from liquid_pairing p where p.id = \(shown.id) and \(secret) = \(shown.hash)
                and p.expires_at > \(clock.now())
            """
        ).first.map { try LiquidPairing($0, as: shown.role) }
    }

    /// Both sides are of one link again, which may be gone, or have the session in which the wallet approved. That one
    /// keeps its place until the wallet itself shows the pairing: there are wallets that know of none.
    func rejoin(_ pairing: LiquidPairing, in transaction: any SQLExecutor) async throws {
        guard let controller = pairing.controller, let wallet = pairing.wallet, let credential = pairing.credential,
            let request = RequestID(.string(pairing.id))
        else { return }
        let now = clock.now()
        _ = try await transaction.execute(
            """
            insert into signalling_link as l (request, linker, session, wallet, credential, created_at, linked_at,
                expires_at)
            values (\(request.key), \(pairing.provider), \(controller), \(wallet), \(credential), \(now), \(now),
                \(pairing.expiresAt))
            on conflict (request) do update set linker = excluded.linker,
                session = case when \(pairing.role == .provider) and l.wallet = excluded.wallet and exists (
                        select from liquid_session x where x.id = l.session and x.wallet = l.wallet
                            and x.id <> excluded.linker and \(LiquidSession.isLive(at: now)))
                    then l.session else excluded.session end,
                wallet = excluded.wallet, credential = excluded.credential, expires_at = excluded.expires_at,
                linked_at = coalesce(l.linked_at, excluded.linked_at)
            """)
    }

    private func insert(
        _ id: String, _ lineage: [NodeID], wallet: EnteredWallet? = nil, device: String?, origin: String?,
        expires: Date, in transaction: any SQLExecutor
    ) async throws {
        let now = clock.now(), entered: LiquidSession.Entered? = wallet == nil ? nil : .link
        // Nobody is told the secret: the credential of the pairing is what lets in.
        _ = try await transaction.execute(
            """
            insert into liquid_session (id, secret, lineage, wallet, credential, entered, device, origin, created_at,
                last_seen, expires_at)
            values (\(id), \(randomness.bytes(32)), \(lineage), \(wallet?.wallet), \(wallet?.credential), \(entered),
                \(device.map { String($0.prefix(300)) }), \(origin), \(now), \(now), \(expires))
            """)
    }
}
