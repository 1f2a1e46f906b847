import Base
import Database
import Foundation

/// A service that a person used, and when last.
public struct UsedService: Sendable {
    public let name: String, base: String, lastUsed: Date
}

/// Rows of `service_usage`: which services a person used last (protocols/eduid.md, 3.5). Written in the transaction
/// that issues what they are used by: an assertion, or a web client's token.
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
                where not exists (\(ServiceUsage.justNoted(account, at: "\(service)::text", now)))
            on conflict (account, service) do update
                set last_used = greatest(service_usage.last_used, excluded.last_used)
            """
    }

    /// The same of a web client's token: for the service whose own client it is, and for the one at whose `base` it may
    /// be shown. Most clients are no service's, then nothing is written.
    public func recording(_ account: UUID, by client: String, at base: String?) -> SQL {
        let now = clock.now()
        return """
            insert into service_usage (account, service, last_used)
                select \(account)::uuid, s.id, \(now)::timestamptz from made, service s
                where s.status = 'active' and (s.client = \(client) or s.base = \(base))
                    and not exists (\(ServiceUsage.justNoted(account, at: "s.id", now)))
                order by s.id
            on conflict (account, service) do update
                set last_used = greatest(service_usage.last_used, excluded.last_used)
            """
    }

    private static func justNoted(_ account: UUID, at service: SQL, _ now: Date) -> SQL {
        """
        select from service_usage u where u.account = \(account) and u.service = \(service)
            and u.last_used > \(now.addingTimeInterval(-1))
            and not exists (select from service_usage v where v.account = u.account and v.service <> u.service
                and v.last_used >= u.last_used)
        """
    }

    /// All that a person used, or one service by its base URL in any spelling, also one that is listed no more. What is
    /// forgotten stays so until it is used again; who forgets what is not there has what they want.
    public func forget(_ account: UUID, base: WebAddress?, in executor: any SQLExecutor) async throws {
        let one: SQL =
            base.map { "and service in (select s.id from service s where s.base = \($0.withoutQuery))" } ?? ""
        _ = try await executor.execute("delete from service_usage where account = \(account) \(one)")
    }

    /// For the person to read, most recent first; services that are listed no more too, since they can be forgotten.
    public func list(of account: UUID, limit: Int, in executor: any SQLExecutor) async throws -> [UsedService] {
        try await executor.query(
            """
            select s.name, s.base, u.last_used from service_usage u join service s on s.id = u.service
            where u.account = \(account) order by u.last_used desc, s.id limit \(limit)
            """
        ).map { UsedService(name: try $0("name"), base: try $0("base"), lastUsed: try $0("last_used")) }
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
