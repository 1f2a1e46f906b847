import Base
import Database
import Foundation

/// Which grants a list shows; `nil` leaves a member open.
public struct RoleFilter: Sendable {
    public var account: UUID?
    public var role: Role?
    public var institution: String?
    public var service: String?
    /// What whoever asks may see: roles in these institutions and in their services, and in these services.
    public var visible: InstitutionFilter.Visible?
    /// The cursor of the one before.
    public var after: String?
    public var limit: Int

    public init(limit: Int) { self.limit = limit }
}

/// Rows of `role_grant`. They are read at each request, so what is withdrawn is gone with the next one.
public struct RoleStore: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Of an active account; none of one that is suspended.
    public func grants(of account: UUID, in executor: any SQLExecutor) async throws -> [RoleGrant] {
        try await executor.query(
            """
            select g.account, g.role, g.institution, g.service from role_grant g
            where g.account = \(account) and \(AccountStore.isActive(account))
            order by g.role, g.institution, g.service
            """
        ).map(RoleGrant.init)
    }

    /// `false`: it was so before. Account, institution and service are there.
    public func grant(_ grant: RoleGrant, by actor: String, in transaction: any SQLExecutor) async throws -> Bool {
        let isNew =
            try await transaction.execute(
                """
                insert into role_grant (account, role, institution, service, granted_at, granted_by)
                values (\(grant.account), \(grant.role.rawValue), \(grant.institution), \(grant.service),
                    \(clock.now()), \(actor))
                on conflict do nothing
                """) > 0
        if isNew { try await RoleStore.touch(grant.account, in: transaction) }
        return isNew
    }

    /// `false`: it was not there.
    public func withdraw(_ grant: RoleGrant, in transaction: any SQLExecutor) async throws -> Bool {
        let wasThere =
            try await transaction.execute(
                """
                delete from role_grant where account = \(grant.account) and role = \(grant.role.rawValue)
                    and institution is not distinct from \(grant.institution)
                    and service is not distinct from \(grant.service)
                """) > 0
        if wasThere { try await RoleStore.touch(grant.account, in: transaction) }
        return wasThere
    }

    /// How many active people have it.
    public func count(_ role: Role, in executor: any SQLExecutor) async throws -> Int {
        let rows = try await executor.query(
            """
            select count(distinct g.account) as holders from role_grant g join account a on a.id = g.account
            where g.role = \(role.rawValue) and a.status = 'active'
            """)
        return try rows.first?("holders") ?? 0
    }

    /// By account, then by role.
    public func list(_ filter: RoleFilter, in executor: any SQLExecutor) async throws -> [ListedGrant] {
        let seen: SQL =
            filter.visible.map {
                """
                (g.institution = any (\($0.institutions)) or g.service = any (\($0.services))
                    or g.service in (select s.id from service s where s.institution = any (\($0.institutions))))
                """
            } ?? "true"
        return try await executor.query(
            """
            select f.account, f.role, f.institution, f.service, f.granted_at, f.granted_by, f.username from (
                select g.account, g.role, g.institution, g.service, g.granted_at, g.granted_by, a.username,
                    (g.account::text || ' ' || g.role || coalesce(':' || g.institution, ':' || g.service, ''))
                        collate "C" as place
                from role_grant g join account a on a.id = g.account
                where (\(filter.account)::uuid is null or g.account = \(filter.account))
                    and (\(filter.role?.rawValue)::text is null or g.role = \(filter.role?.rawValue))
                    and (\(filter.institution)::text is null or g.institution = \(filter.institution))
                    and (\(filter.service)::text is null or g.service = \(filter.service)) and \(seen)
            ) f
            where \(filter.after)::text is null or f.place > \(filter.after)
            order by f.place limit \(filter.limit)
            """
        ).map(ListedGrant.init)
    }

    /// Whether somebody has a role that these institutions, with their services, do not give: nobody of theirs may then
    /// take the account over.
    public static func exceeds(
        _ account: UUID, institutions: [String], in executor: any SQLExecutor
    ) async throws -> Bool {
        try await !executor.query(
            """
            select g.role from role_grant g left join service s on s.id = g.service
            where g.account = \(account) and coalesce(g.institution, s.institution, '') <> all (\(institutions)) limit 1
            """
        ).isEmpty
    }

    /// The claim `roles` is told of accounts that processes remember for as long as their row is the one that was read.
    static func touch(_ account: UUID, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute("update account set status = status where id = \(account)")
    }

    /// The same for those with certain grants, `g`.
    static func touch(_ grants: SQL, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            """
            update account set status = status
            where id in (select g.account from role_grant g where \(grants))
            """)
    }
}
