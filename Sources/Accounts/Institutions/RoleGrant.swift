import Base
import Database
import Foundation

/// What a person may do in the administration.
public enum Role: String, Sendable, CaseIterable {
    /// Everything.
    case administrator
    /// Looks at everything and changes nothing.
    case auditor
    /// The people, services and apps of one institution.
    case institutionAdministrator = "institution-administrator"
    /// One service.
    case serviceOwner = "service-owner"
}

/// That an account has a role; where it is one of an institution or a service, of which.
public struct RoleGrant: Sendable, Hashable {
    public let account: UUID
    public let role: Role
    public let institution: String?
    public let service: String?

    /// `nil` where the scope is not that of the role.
    public init?(account: UUID, role: Role, institution: String? = nil, service: String? = nil) {
        guard (institution != nil) == (role == .institutionAdministrator), (service != nil) == (role == .serviceOwner)
        else { return nil }
        (self.account, self.role, self.institution, self.service) = (account, role, institution, service)
    }

    init(_ row: Row) throws {
        let word: String = try row("role")
        guard let role = Role(rawValue: word) else {
            throw DatabaseError.decoding(column: "role", expected: "a role")
        }
        (account, self.role) = (try row("account"), role)
        (institution, service) = (try row("institution"), try row("service"))
    }
}

/// Rows of `role_grant`.
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

    /// `false`: it was so before.
    public func grant(_ grant: RoleGrant, by actor: String, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute(
            """
            insert into role_grant (account, role, institution, service, granted_at, granted_by)
            values (\(grant.account), \(grant.role.rawValue), \(grant.institution), \(grant.service), \(clock.now()),
                \(actor))
            on conflict do nothing
            """) > 0
    }

    /// `false`: it was not there.
    public func withdraw(_ grant: RoleGrant, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute(
            """
            delete from role_grant where account = \(grant.account) and role = \(grant.role.rawValue)
                and institution is not distinct from \(grant.institution)
                and service is not distinct from \(grant.service)
            """) > 0
    }
}
