import Base
import Database
import Foundation

/// Rows of `tiqr_push`: written with the authentication, sent by `PushSender`, never inline.
struct PushOutbox: Sendable {
    static let channel = "pando_tiqr_push"

    let routes: PushRoutes
    let clock: WallClock

    /// What a push to this identity comes to; an authentication without identity has nobody to be pushed to.
    func plan(for identity: TiqrIdentity?) -> PushOutcome {
        guard let identity, identity.notificationAddress != nil, let type = identity.notificationType else {
            return .noAddress
        }
        return routes.reaches(type) ? .queued : .none
    }

    func add(
        _ authentication: AuthenticationView, to identity: TiqrIdentity, in transaction: any SQLExecutor
    ) async throws {
        let now = clock.now()
        _ = try await transaction.execute(
            """
            insert into tiqr_push (authentication, identity, created_at, expires_at, next_try)
            select \(authentication.id), i.identity, \(now), \(authentication.expiresAt), \(now) from tiqr_identity i
            where i.identity = \(identity.identity) for key share of i
            """)
    }

    /// After the commit; a lost one costs two minutes.
    func wake(in executor: any SQLExecutor) async {
        _ = try? await executor.execute("select pg_notify(\(PushOutbox.channel), '')")
    }
}
