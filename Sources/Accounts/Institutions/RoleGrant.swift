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

    /// As the claim `roles` has it: `institution-administrator:ID`.
    public var claim: String { role.rawValue + ((institution ?? service).map { ":" + $0 } ?? "") }

    /// An array of `claim`, of the account whose id stands in `account`.
    static func claims(of account: SQL) -> SQL {
        """
        array(select g.role || coalesce(':' || g.institution, ':' || g.service, '') from role_grant g
            where g.account = \(account) order by 1)
        """
    }
}

/// A grant as lists tell it.
public struct ListedGrant: Sendable {
    public let grant: RoleGrant
    public let username: String
    public let grantedAt: Date
    public let grantedBy: String

    init(_ row: Row) throws {
        grant = try RoleGrant(row)
        (username, grantedAt, grantedBy) = (try row("username"), try row("granted_at"), try row("granted_by"))
    }

    /// After which a list goes on.
    public var cursor: String { "\(grant.account.uuidString.lowercased()) \(grant.claim)" }

    public var json: JSONObject {
        [
            "account": .string(grant.account.uuidString.lowercased()), "username": .string(username),
            "role": .string(grant.role.rawValue), "institution": JSONValue(grant.institution),
            "service": JSONValue(grant.service), "granted_at": .string(grantedAt.rfc3339),
            "granted_by": .string(grantedBy),
        ]
    }
}
