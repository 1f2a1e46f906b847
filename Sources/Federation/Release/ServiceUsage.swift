import Base
import Database
import Foundation

/// Rows of `service_usage`: which services a person used last (protocols/eduid.md, 3.5). Written in the transaction
/// that issues an assertion.
public struct ServiceUsage: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    public func record(_ account: UUID, at service: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            insert into service_usage (account, service, last_used) values (\(account), \(service), \(clock.now()))
            on conflict (account, service) do update set last_used = greatest(service_usage.last_used,
                excluded.last_used)
            """)
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
