import Accounts
import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import TokenTree

/// `roles …`: who may administer what (docs/design/roles.md).
struct RolesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles", abstract: "Who may administer what.",
        subcommands: [Grant.self, Withdraw.self, List.self])

    struct Grant: AdminChange {
        static let route: AdminRoute? = AdminRoute("POST", "/roles")
        static let configuration = CommandConfiguration(
            abstract: "Give a person a role; it holds from their next request on.",
            discussion: "pando admin roles grant ada institution-administrator --institution uni.example")
        @Argument(help: "Username or UUID.") var account: String
        @Argument(help: Role.words) var role: Role
        @OptionGroup var scope: RoleScope
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws { try scope.validate(for: role) }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (person, grant) = try await scope.grant(role, account, session)
            let isNew = try await session.roles.grant(grant, by: session.actor.name, in: session.executor)
            try await RolesCommand.audit("roles.grant", grant, session)
            return RolesCommand.told(grant, person).adding(already: !isNew)
        }
    }

    struct Withdraw: AdminChange {
        static let route: AdminRoute? = AdminRoute("POST", "/roles/withdraw")
        static let configuration = CommandConfiguration(
            abstract: "Take a role from a person; it is gone with their next request.")
        @Argument(help: "Username or UUID.") var account: String
        @Argument(help: Role.words) var role: Role
        @OptionGroup var scope: RoleScope
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            role == .administrator
                ? "Take the federation from \(account)? Without an administrator, only the database's operator is left."
                : nil
        }

        func validate() throws { try scope.validate(for: role) }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (person, grant) = try await scope.grant(role, account, session)
            guard try await session.roles.withdraw(grant, in: session.executor) else {
                throw AdminFailure.noRole(grant.claim, of: account)
            }
            try await RolesCommand.audit("roles.withdraw", grant, session)
            var result = RolesCommand.told(grant, person)
            if role == .administrator {
                result["administrators"] = .integer(
                    try await session.roles.count(.administrator, in: session.executor))
            }
            return result
        }
    }

    struct List: AdminQuery {
        static let route: AdminRoute? = AdminRoute("GET", "/roles")
        static let configuration = CommandConfiguration(abstract: "List roles, by person.")
        @Option(help: "Username or UUID.") var account: String?
        @Option(help: "Only roles of this institution.") var institution: String?
        @Option(help: "Id or base URL.") var service: String?
        @Option(help: Role.words) var role: Role?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var filter = RoleFilter(limit: list.limit + 1)
            filter.account = try await session.accountID(account)
            if let service { filter.service = try await ServicesCommand.find(service, session).id }
            (filter.institution, filter.role, filter.after) = (institution, role, list.after)
            filter.visible = session.authority.visible
            let found = try await session.roles.list(filter, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.cursor, json: { .object($0.json) })
        }
    }

    private static func told(_ grant: RoleGrant, _ person: Account) -> JSONObject {
        [
            "account": .string(grant.account.uuidString.lowercased()), "username": .string(person.username),
            "role": .string(grant.role.rawValue), "institution": JSONValue(grant.institution),
            "service": JSONValue(grant.service),
        ]
    }

    private static func audit(_ action: String, _ grant: RoleGrant, _ session: AdminSession) async throws {
        let entry = AuditEntry(
            actor: session.actor, action: action, node: "account:\(grant.account.uuidString.lowercased())",
            account: grant.account, detail: ["role": .string(grant.claim)])
        try await AuditTrail.write(entry, at: session.now, in: session.executor)
    }
}

/// Of what a role is, where it is one of an institution or of a service.
struct RoleScope: ParsableArguments {
    @Option(help: "Of which institution, for institution-administrator.") var institution: String?
    @Option(help: "Of which service, by id or base URL, for service-owner.") var service: String?

    func validate(for role: Role) throws {
        guard (institution != nil) == (role == .institutionAdministrator) else {
            throw ValidationError("--institution goes with institution-administrator, and with nothing else")
        }
        guard (service != nil) == (role == .serviceOwner) else {
            throw ValidationError("--service goes with service-owner, and with nothing else")
        }
    }

    /// Of things that are there.
    func grant(_ role: Role, _ account: String, _ session: AdminSession) async throws -> (Account, RoleGrant) {
        let person = try await session.account(account)
        if let institution { _ = try await session.institution(institution) }
        var place: String?
        if let service {
            let known = try await ServicesCommand.find(service, session)
            guard known.status != .removed else { throw AdminFailure(.conflict, "\(known.id) was removed") }
            place = known.id
        }
        guard let grant = RoleGrant(account: person.id, role: role, institution: institution, service: place) else {
            throw AdminFailure(.usage, "\(role.rawValue) is of something else")
        }
        return (person, grant)
    }
}

extension AdminSession {
    var roles: RoleStore { RoleStore(clock: clock) }
}

extension Role: ExpressibleByArgument {
    fileprivate static var words: ArgumentHelp { "\(allCases.map(\.rawValue).joined(separator: ", "))." }
}
