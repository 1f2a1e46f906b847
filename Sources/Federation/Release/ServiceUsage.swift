import Base
import Database
import Foundation

/// Rows of `service_usage`: which services a person used last (protocols/eduid.md, 3.5). Written in the transaction
/// that issues an assertion.
public struct ServiceUsage: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// For `TokenDraft.beside`, of what is issued for the service. To the second: what the person used last of all is
    /// not noted again within one, so that who uses it all the time does not wait for themselves.
    public func recording(_ account: UUID, at service: String) -> SQL {
        let now = clock.now()
        return """
            insert into service_usage (account, service, last_used)
                select \(account)::uuid, \(service)::text, \(now)::timestamptz from made
                where not exists (select from service_usage u where u.account = \(account) and u.service = \(service)
                    and u.last_used > \(now.addingTimeInterval(-1))
                    and not exists (select from service_usage v where v.account = u.account and v.service <> u.service
                        and v.last_used >= u.last_used))
            on conflict (account, service) do update
                set last_used = greatest(service_usage.last_used, excluded.last_used)
            """
    }

    /// Base URLs of active services, most recent first.
    public func services(of account: UUID, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            """
            select s.base from service_usage u join service s on s.id = u.service
            where u.account = \(account) and s.status = 'active' order by u.last_used desc, s.id limit 1000
            """
        ).map { try $0("base") }
    }
}
