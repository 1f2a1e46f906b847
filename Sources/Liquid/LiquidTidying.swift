import Base
import Database
import Foundation
import TokenTree

/// Deletes what has been over for long. Passkeys stay until somebody removes them, and a wallet for as long as it has
/// one, or a session.
///
/// With a session goes its open generation in the tree: nothing but the session hangs below it. A revocation is a row
/// of `revocation`, which stays, and had closed the generation already.
struct LiquidTidying: Sendable {
    static let sessionsKept: TimeInterval = 86_400
    /// How long a wallet has to make its first passkey, or to find that it has none left.
    static let walletsKept: TimeInterval = 30 * 86_400

    let clock: WallClock

    func tidy(in executor: any SQLExecutor) async throws {
        let now = clock.now(), old = now.addingTimeInterval(-LiquidTidying.sessionsKept)
        // Anybody can have one that waits to be linked: it goes at once.
        let isOver: SQL = "(x.expires_at < \(old) or x.wallet is null and x.expires_at <= \(now))"
        _ = try await executor.batch([
            """
            delete from ancestor a using liquid_session x
            where a.kind = \(Ancestor.Kind.session) and a.name = \(LiquidSession.prefix)::text || x.id and \(isOver)
            """,
            "delete from liquid_session x where \(isOver)",
            """
            delete from liquid_wallet where address in (
                select w.address from liquid_wallet w
                where w.created_at < \(now.addingTimeInterval(-LiquidTidying.walletsKept))
                    and not exists (select from passkey p where p.wallet = w.address)
                    and not exists (select from liquid_session x where x.wallet = w.address)
                order by w.address limit 1000 for update skip locked)
            """,
        ])
        try await LinkStore(clock: clock).tidy(in: executor)
    }
}
