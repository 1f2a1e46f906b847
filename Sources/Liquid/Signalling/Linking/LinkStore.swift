import Base
import Database
import Foundation

/// SQL of `signalling_link`. Who comes first has the place: settled by the row, whichever replica asks.
struct LinkStore: Sendable {
    /// decisions.md, liquid 2: seconds in which both sides must have come.
    static let requestLifetime: TimeInterval = 300
    /// A session's own lifetime (decisions.md, liquid 8). A session that ends before has no sockets any more, so its
    /// links are idle.
    static let linkLifetime: TimeInterval = 14 * 86_400
    /// An id that is over is not begun again for so long; one that nobody linked is nobody's for much longer than a QR
    /// code is shown.
    static let kept: TimeInterval = 86_400, keptUnlinked: TimeInterval = 600

    let clock: WallClock

    /// The first linker takes the page's place; the wallet's session may link too and takes none. `nil`: over, or
    /// somebody else's.
    func claim(
        _ request: RequestID, by session: String, origin: String?, in executor: any SQLExecutor
    ) async throws -> LinkRow? {
        let now = clock.now()
        let rows = try await executor.query(
            """
            insert into signalling_link as l (request, linker, origin, created_at, expires_at)
            values (\(request.key), \(session), \(origin as String?), \(now), \(now + LinkStore.requestLifetime))
            on conflict (request) do update set
                linker = case when l.linker is null and l.session <> excluded.linker then excluded.linker
                    else l.linker end,
                origin = case when l.linker is null and l.session <> excluded.linker then excluded.origin
                    else l.origin end
            where l.expires_at > \(now) and (l.linker is null or l.linker = excluded.linker
                or l.session = excluded.linker)
            returning \(LinkRow.columns)
            """)
        return try rows.first.map { row in try LinkRow(row) }
    }

    /// A wallet has answered a ceremony. Only the same wallet may do so again, with another session of its own; a
    /// session is never both sides.
    func enter(_ request: RequestID, _ wallet: EnteredWallet, in executor: any SQLExecutor) async throws -> LinkRow? {
        let now = clock.now()
        let rows = try await executor.query(
            """
            insert into signalling_link as l (request, session, wallet, credential, created_at, expires_at)
            values (\(request.key), \(wallet.session), \(wallet.wallet), \(wallet.credential), \(now),
                \(now + LinkStore.requestLifetime))
            on conflict (request) do update set session = excluded.session, wallet = excluded.wallet,
                credential = excluded.credential
            where l.expires_at > \(now) and (l.wallet is null or l.wallet = excluded.wallet) and (l.linker is null
                or l.linker <> excluded.session)
            returning \(LinkRow.columns)
            """)
        return try rows.first.map { row in try LinkRow(row) }
    }

    /// Both sides are there: from now on it lives as long as they do. Once; the row is locked by what went before in
    /// the transaction.
    func complete(_ request: RequestID, in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.execute(
            """
            update signalling_link set linked_at = \(now), expires_at = \(now + LinkStore.linkLifetime)
                where request = \(request.key) and linked_at is null
            """)
    }

    /// A session got another cookie, and with it another id.
    func move(_ old: String, to new: String, in executor: any SQLExecutor) async throws {
        guard old != new else { return }
        _ = try await executor.batch([
            """
            update signalling_link set linker = \(new) where linker = \(old) and (session is null
                or session <> \(new))
            """,
            """
            update signalling_link set session = \(new) where session = \(old) and (linker is null
                or linker <> \(new))
            """,
        ])
    }

    func linked(_ requests: [RequestID], in executor: any SQLExecutor) async throws -> [SignallingLink] {
        let rows = try await executor.query(
            """
            select \(LinkRow.columns) from signalling_link where request = any(\(requests.map(\.key)))
                and linked_at is not null and expires_at > \(clock.now())
            """)
        return try rows.compactMap { row in try LinkRow(row).both }
    }

    /// What a session that comes back belongs to: the last that it was linked in.
    func latest(of session: String, in executor: any SQLExecutor) async throws -> SignallingLink? {
        let rows = try await executor.query(
            """
            select \(LinkRow.columns) from signalling_link
            where (linker = \(session) or session = \(session)) and linked_at is not null
                and expires_at > \(clock.now())
            order by linked_at desc, request limit 1
            """)
        return try rows.first.flatMap { row in try LinkRow(row).both }
    }

    func tidy(in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.execute(
            """
            delete from signalling_link where expires_at < \(now - LinkStore.kept) or (linked_at is null
                and expires_at < \(now - LinkStore.keptUnlinked))
            """)
    }
}
