import Accounts
import Base
import Foundation

/// What whoever runs a command may do. docs/design/roles.md has the table of commands and roles.
public struct AdminAuthority: Sendable, Equatable {
    /// Of whoever has the database: everything.
    public static let operatorOfDatabase = AdminAuthority([], nil, nil)

    public let grants: [RoleGrant]
    /// Who it is; `nil` for whoever has the database.
    public let account: UUID?
    /// When they logged in (`auth_time`): what destroys needs a login that is not old. `nil` counts as long ago.
    public let authenticatedAt: Date?

    private init(_ grants: [RoleGrant], _ account: UUID?, _ authenticatedAt: Date?) {
        (self.grants, self.account, self.authenticatedAt) = (grants, account, authenticatedAt)
    }

    /// Of a person, by their roles; without one, nothing but what anybody may who is logged in.
    public init(_ grants: [RoleGrant], of account: UUID, authenticatedAt: Date?) {
        self.init(grants, account, authenticatedAt)
    }

    private var isOperator: Bool { account == nil }

    public var isNothing: Bool { !isOperator && grants.isEmpty }

    /// May change all of the federation.
    public var isAdministrator: Bool { isOperator || grants.contains { $0.role == .administrator } }

    /// May look at all of the federation.
    public var seesEverything: Bool { isAdministrator || grants.contains { $0.role == .auditor } }

    public var institutions: Set<String> { Set(grants.compactMap(\.institution)) }
    public var services: Set<String> { Set(grants.compactMap(\.service)) }

    /// What a list shows: `nil` is everything.
    public var visible: AdminVisibility? {
        seesEverything
            ? nil : InstitutionFilter.Visible(institutions: institutions.sorted(), services: services.sorted())
    }
}

/// What a list shows to whoever sees not all: what belongs to these institutions, and these services.
public typealias AdminVisibility = InstitutionFilter.Visible
