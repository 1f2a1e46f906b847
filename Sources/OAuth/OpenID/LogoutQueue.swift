import Base
import Database
import Foundation
import TokenTree

/// Who must hear of a logout (OpenID Connect Back-Channel Logout 1.0): written in the transaction that ends the
/// session, whoever ends it and how.
public struct LogoutQueue: Sendable {
    static let channel = "pando_logouts"

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// For `Revocation`: a revocation of a session, of a person, of a grant, of a person at a service, or of
    /// everything reaches every client that logged in below it.
    public func ended(_ ancestor: Ancestor, in transaction: any SQLExecutor) async throws {
        guard let concerned = LogoutQueue.concerned(ancestor) else { return }
        let now = clock.now()
        _ = try await transaction.execute(
            """
            with gone as (
                delete from session_client sc using browser_session s where s.id = sc.session
                    and s.expires_at > \(now) and \(concerned)
                returning sc.session, sc.client, sc.subject
            ), told as (
                insert into logout_delivery (client, uri, session, subject, created_at, next_try)
                select c.id, c.metadata ->> 'backchannel_logout_uri', g.session, g.subject, \(now), \(now)
                from gone g join client c on c.id = g.client where c.metadata ->> 'backchannel_logout_uri' is not null
                returning 1
            )
            select pg_notify(\(LogoutQueue.channel), '') where exists (select from told)
            """)
    }

    private static func concerned(_ ancestor: Ancestor) -> SQL? {
        switch ancestor.kind {
        case .session: return "s.id = \(ancestor.name)"
        case .account: return UUID(uuidString: ancestor.name).map { "s.account = \($0)" }
        // The sessions that this password began: the browser in which it is changed too, since what its applications
        // hold ends.
        case .password:
            return "exists (select from revocation r where r.label = \(ancestor.label) and r.node = any (s.lineage))"
        case .grant:
            let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2, let account = UUID(uuidString: parts[0]) else { return nil }
            return "s.account = \(account) and sc.client = \(parts[1])"
        case .use:
            let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2, let account = UUID(uuidString: parts[0]) else { return nil }
            return "s.account = \(account) and sc.client = (select v.client from service v where v.id = \(parts[1]))"
        case .epoch: return "true"
        case .signer, .version, .instance, .key, .client, .service, .bundle, .admission: return nil
        }
    }
}
