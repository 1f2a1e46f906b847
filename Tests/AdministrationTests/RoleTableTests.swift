import Accounts
import Base
import Commands
import Foundation
import TestSupport
import Testing

@testable import Administration

@Suite("Who may run which command")
struct RoleTableTests {
    private static let entries = AdminCatalog.ofServer.entries

    @Test("docs/design/roles.md has the table that is asked")
    func document() throws {
        let document = try String(contentsOf: Checkout.folder("docs/design/roles.md"), encoding: .utf8)

        #expect(document.contains(AdminCatalog.ofServer.table), "\(AdminCatalog.ofServer.table)")
    }

    @Test("each rule finds what it is about by an argument that the command has")
    func members() {
        for entry in Self.entries {
            guard let rule = entry.rule else { continue }
            let known = Set(entry.arguments.map(\.name))
            for target in rule.targets {
                #expect(known.contains(target.member), "\(rule.words): \(target.member)")
                if let condition = target.condition { #expect(known.contains(condition), "\(rule.words)") }
            }
            for member in rule.withheld + [rule.looksWithout].compactMap(\.self) {
                #expect(known.contains(member), "\(rule.words): \(member)")
            }
        }
        #expect(Self.entries.count { $0.rule != nil } == AdminCatalog.ofServer.rules.count, "a rule is about nothing")
    }

    @Test("no two rules are about one command")
    func once() {
        let words = AdminCatalog.ofServer.rules.map(\.words)

        #expect(Set(words).count == words.count)
    }

    @Test("each role may run each command on what is its own as the table says, and on nothing else")
    func everything() async throws {
        try await Administered.with { (it: Administered) async throws in
            for entry in Self.entries {
                for place in [Place.own, .foreign, .missing] {
                    let arguments = place.arguments(entry, it)
                    #expect(try await Self.answer(entry, arguments, it.administrator, it) == nil, "\(entry.words)")
                    let isForAll = entry.rule?.audience == .anybody
                    let looks = !entry.isChange || entry.rule?.onlyLooks(arguments) == true
                    #expect(
                        try await Self.answer(entry, arguments, it.auditor, it)
                            == (isForAll || looks && entry.rule?.tellsSecret != true ? nil : .forbidden),
                        "auditor \(entry.words)")
                    #expect(
                        try await Self.answer(entry, arguments, it.nobody, it)
                            == (isForAll ? nil : .forbidden), "nobody \(entry.words)")
                    for (role, authority) in [
                        (Role.institutionAdministrator, it.ofInstitution), (.serviceOwner, it.owner),
                    ] {
                        #expect(
                            try await Self.answer(entry, arguments, authority, it)
                                == Self.expected(entry, role, place), "\(role.rawValue) \(entry.words) \(place)")
                    }
                }
            }
        }
    }

    /// `nil`: admitted.
    private static func answer(
        _ entry: AdminEntry, _ arguments: JSONObject, _ authority: AdminAuthority, _ it: Administered
    ) async throws -> AdminFailure.Code? {
        do {
            try await AdminPermissions.admit(entry, arguments, in: it.session(authority))
            return nil
        } catch let failure as AdminFailure {
            return failure.code
        }
    }

    private static func expected(_ entry: AdminEntry, _ role: Role, _ place: Place) -> AdminFailure.Code? {
        guard let rule = entry.rule, rule.admits(role) else { return .forbidden }
        if rule.targets.isEmpty || rule.audience == .anybody { return nil }
        if place != .own || rule.targets.contains(where: { $0.isNobodys }) { return .notFound }
        // What is found by something else than the service is no owner's.
        let isOfOwner = rule.targets.allSatisfy { ["service", "services"].contains($0.member) }
        return role == .institutionAdministrator || isOfOwner ? nil : .notFound
    }

    /// What the arguments name.
    enum Place {
        case own, foreign, missing

        func arguments(_ entry: AdminEntry, _ it: Administered) -> JSONObject {
            var arguments: JSONObject = [:]
            for target in entry.rule?.targets ?? [] {
                if let condition = target.condition { arguments[condition] = "somebody-new" }
                arguments[target.member] = value(target, it)
                guard target.member == "role" else { continue }
                arguments["account"] = own("ada", "bob")
                arguments["institution"] = own("uni.example", "school.example")
                arguments["role"] = "institution-administrator"
            }
            return arguments
        }

        private func own(_ own: String, _ foreign: String) -> JSONValue {
            switch self {
            case .own: .string(own)
            case .foreign: .string(foreign)
            case .missing: "nothing-of-this-name"
            }
        }

        private func value(_ target: AdminTarget, _ it: Administered) -> JSONValue {
            let machines = (it.server.residents.machine.id, it.server.residents.signer.id)
            return switch target.kind {
            case .account: own("ada", "bob")
            case .service: own("learn", "quiet")
            case .app: own(Residents.app, Administered.otherApp)
            case .client: own(machines.0, machines.1)
            case .instance: own("phone-ada", "phone-bob")
            case .institution, .made: own("uni.example", "school.example")
            case .node: self == .missing ? "account:nothing" : own("account:ada", "account:bob")
            case .granted, .withdrawn: "institution-administrator"
            // Nobody has one here.
            case .token, .thing: "nothing-of-this-name"
            }
        }
    }
}

extension AdminTarget {
    fileprivate var isNobodys: Bool {
        switch kind {
        case .token, .thing: true
        default: false
        }
    }
}
