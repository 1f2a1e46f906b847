import Accounts
import Base
import Database
import Foundation
import Registration

/// Whether what a command works on is theirs who run it.
struct AdmissionCheck {
    let rule: AdminRule
    let arguments: JSONObject
    let session: AdminSession
    let isChange: Bool

    private var institutions: Set<String> { session.authority.institutions }
    private var owners: AdminOwnership { AdminOwnership(session: session, isHeld: isChange) }

    func admit(_ target: AdminTarget) async throws {
        if let condition = target.condition, !AdminRule.isGiven(condition, arguments) { return }
        let names = arguments[target.member].map { $0.strings ?? [$0.string ?? $0.text] } ?? []
        switch target.kind {
        case .made: try await admitMaking(names.first)
        case .granted: try await admitGrant(mustBeTheirs: true)
        case .withdrawn: try await admitGrant(mustBeTheirs: false)
        default:
            if names.isEmpty, target.isOptional { return }
            guard !names.isEmpty else { throw AdminFailure(.forbidden, "name \(target.member): all is not yours") }
            for name in names { try await admit(name, target) }
        }
    }

    private func admit(_ name: String, _ target: AdminTarget) async throws {
        let missing = AdmissionCheck.missing(name, target.kind)
        guard let owner = try await find(name, target.kind), isTheirs(owner) else { throw missing }
        if isChange, case .client = target.kind, try await administersAll(name) {
            throw AdminFailure(.forbidden, "\(name) administers the federation, so only the federation changes it")
        }
        guard isChange, let account = owner.account else { return }
        guard
            try await !RoleStore.exceeds(
                account, institutions: institutions.sorted(), in: session.executor)
        else {
            throw AdminFailure(.forbidden, "\(name) has a role beyond yours, so only the federation changes it")
        }
        try await admitAttributes(of: owner.institutions)
    }

    /// Whose secret, keys or redirect URIs one changes, one acts as: for all of the federation, whomever it belongs to.
    private func administersAll(_ client: String) async throws -> Bool {
        let store = WebClientStore(clock: session.clock, randomness: session.randomness)
        let scope = try await store.find(client, locking: true, in: session.executor)?.scope
        return scope?.split(separator: " ").contains { $0.hasPrefix("admin") } == true
    }

    private func find(_ name: String, _ kind: AdminTarget.Kind) async throws -> AdminOwner? {
        switch kind {
        case .account: return try await owners.account(name)
        case .service: return try await owners.service(name)
        case .app: return try await owners.app(name)
        case .client: return try await owners.client(name)
        case .instance: return try await owners.instance(name)
        case .institution: return try await owners.institution(name)
        case .node: return try await owners.node(name, isShown: !isChange)
        case .token: return try await owners.token(name)
        case .thing(let find):
            guard let account = try await find(name, session.executor) else { return nil }
            return try await owners.account(account)
        case .made, .granted, .withdrawn: return nil
        }
    }

    /// An owner of a service has it where the command is for owners; else it takes the institution's role.
    private func isTheirs(_ owner: AdminOwner) -> Bool {
        if !owner.institutions.isDisjoint(with: institutions) { return true }
        return rule.audience == .institutionsAndOwners && !owner.services.isDisjoint(with: session.authority.services)
    }

    private func admitMaking(_ institution: String?) async throws {
        guard let institution else {
            throw AdminFailure(.usage, "institution is missing: whose is it to be?")
        }
        guard institutions.contains(institution) else { throw AdminFailure.noInstitution(institution) }
        try await admitAttributes(of: [institution])
    }

    /// An institution speaks for its own domains, and says nothing of others' people.
    private func admitAttributes(of owners: Set<String>) async throws {
        let said = arguments["attribute"].map { $0.strings ?? [$0.string ?? ""] } ?? []
        guard !said.isEmpty else { return }
        let store = InstitutionStore(clock: session.clock)
        var known: [Institution] = []
        for id in owners.intersection(institutions).sorted() {
            if let found = try await store.find(id, in: session.executor) { known.append(found) }
        }
        for pair in said {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let attribute = PersonAttribute(rawValue: parts[0]),
                let domain = attribute.domain(of: parts[1]), !known.contains(where: { $0.owns(domain: domain) })
            else { continue }
            throw AdminFailure(
                .forbidden, "\(attribute.rawValue): \(domain.prefix(80)) is no domain of the institution")
        }
    }

    /// A role in their institution or at one of its services. To whom it is given, too, is theirs: an institution does
    /// not look for other people.
    private func admitGrant(mustBeTheirs: Bool) async throws {
        let name = arguments["account"]?.string ?? ""
        switch arguments["role"]?.string.flatMap(Role.init(rawValue:)) {
        case .institutionAdministrator: try await admit(.institution)
        case .serviceOwner: try await admit(.service)
        default: throw AdminFailure(.forbidden, "this role is the federation's to give and to take")
        }
        if let owner = try await owners.account(name) {
            if isTheirs(owner) { return }
            if !mustBeTheirs, let account = owner.account, try await has(account) { return }
        }
        throw AdminFailure.noAccount(name)
    }

    /// Whether the account has a role in what was named, which is theirs.
    private func has(_ account: UUID) async throws -> Bool {
        var filter = RoleFilter(limit: 1)
        (filter.account, filter.visible) = (account, session.authority.visible)
        return try await !RoleStore(clock: session.clock).list(filter, in: session.executor).isEmpty
    }

    /// What the command itself says of what is not there.
    private static func missing(_ name: String, _ kind: AdminTarget.Kind) -> AdminFailure {
        switch kind {
        case .account: .noAccount(name)
        case .service: AdminFailure(.notFound, "there is no service \(name)")
        case .app: AdminFailure(.notFound, "there is no app \(name)")
        case .client: AdminFailure(.notFound, "there is no client \(name)")
        case .instance: AdminFailure(.notFound, "there is no instance \(name)")
        case .institution: .noInstitution(name)
        case .node: AdminFailure(.notFound, "\(name) does not exist")
        case .token: AdminFailure(.notFound, "unknown: no token of this federation, or none that is yours to see")
        case .made, .granted, .withdrawn, .thing: AdminFailure(.notFound, "there is no \(name)")
        }
    }
}
