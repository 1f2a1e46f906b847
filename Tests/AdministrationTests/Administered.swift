import Accounts
import Administration
import Base
import Commands
import Database
import Federation
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

/// A server in two halves: `uni.example` has ada, the service `learn`, the residents' app and their machine;
/// `school.example` has bob, the service `quiet`, another app and the machine that signs. Nobody has carol.
struct Administered {
    static let uni = "uni.example", school = "school.example", otherApp = "org.school.app"

    let server: TestServer
    let ada: UUID
    let bob: UUID
    let carol: UUID

    static func with(_ body: @Sendable (Administered) async throws -> Void) async throws {
        try await TestServer.with { server in
            let accounts = AccountStore(clock: server.time.clock)
            func id(_ name: String) async throws -> UUID {
                try #require(try await accounts.find(name, in: server.database)).id
            }
            let it = Administered(
                server: server, ada: try await id("ada"), bob: try await id("bob"), carol: try await id("carol"))
            try await it.moveIn()
            try await body(it)
        }
    }

    private func moveIn() async throws {
        try await run("institutions create", ["institution": "uni.example", "name": "Uni", "domain": ["uni.example"]])
        try await run("institutions create", ["institution": "school.example", "name": "School"])
        try await run(
            "apps create", ["app": .string(Administered.otherApp), "name": "Other", "institution": "school.example"])
        try await run("accounts update", ["account": "ada", "institution": "uni.example"])
        try await run("accounts update", ["account": "bob", "institution": "school.example"])
        try await run("services update", ["service": "learn", "institution": "uni.example"])
        try await run("services update", ["service": "quiet", "institution": "school.example"])
        try await run("apps update", ["app": .string(Residents.app), "institution": "uni.example"])
        try await run("clients update", ["id": .string(server.residents.machine.id), "institution": "uni.example"])
        try await run("clients update", ["id": .string(server.residents.signer.id), "institution": "school.example"])
        let versions = AppStore(clock: server.time.clock)
        for app in [Residents.app, Administered.otherApp]
        where try await versions.version(app + ".1", in: server.database) == nil {
            try await run("apps versions add", ["app": .string(app), "version": "1", "jwk": PhoneKey().jwk])
        }
        for (id, app, person) in [
            ("phone-ada", Residents.app, ada), ("phone-bob", Administered.otherApp, bob),
        ] {
            try await server.database.execute(
                """
                insert into app_instance (id, app, version, device_id, thumbprint, jwk, account, lineage, created_at,
                    last_seen)
                values (\(id), \(app), \(app + ".1"), \(id), \(id), '{}', \(person), 
                    (select array_agg(gen_random_uuid()) from generate_series(1, 4)),
                    \(server.time.now), \(server.time.now))
                """)
        }
    }

    func session(_ authority: AdminAuthority = .operatorOfDatabase) -> AdminSession {
        server.parts.composition.administrationSession(
            by: AuditActor(name: "test", origin: "test"), who: authority)
    }

    @discardableResult
    func run(
        _ words: String, _ arguments: JSONObject = [:], as authority: AdminAuthority = .operatorOfDatabase
    ) async throws -> AdminResult {
        let catalog = AdminCatalog.ofServer
        let entry = try #require(catalog.entry(words.split(separator: " ").map(String.init)), "\(words)")
        return try await catalog.run(entry, arguments, in: session(authority))
    }

    /// The thing that it tells.
    func told(
        _ words: String, _ arguments: JSONObject = [:], as authority: AdminAuthority = .operatorOfDatabase
    ) async throws -> JSONObject {
        guard case .object(let object) = try await run(words, arguments, as: authority) else {
            throw AdminFailure(.failed, "a list")
        }
        return object
    }

    /// What a list says of each thing under a member.
    func listed(
        _ words: String, _ member: String, _ arguments: JSONObject = [:],
        as authority: AdminAuthority = .operatorOfDatabase
    ) async throws -> [String] {
        guard case .list(let items, _) = try await run(words, arguments, as: authority) else {
            throw AdminFailure(.failed, "no list")
        }
        return items.map { $0[member]?.string ?? "" }.sorted()
    }

    /// `nil` where it was done.
    func refusal(
        _ words: String, _ arguments: JSONObject = [:], as authority: AdminAuthority
    ) async throws -> AdminFailure? {
        do {
            try await run(words, arguments, as: authority)
            return nil
        } catch let failure as AdminFailure {
            return failure
        }
    }

    // MARK: People with roles, who logged in a minute ago

    func authority(_ grants: [RoleGrant?], of account: UUID, age: TimeInterval = 60) -> AdminAuthority {
        AdminAuthority(
            grants.compactMap(\.self), of: account, authenticatedAt: server.time.now.addingTimeInterval(-age))
    }

    var administrator: AdminAuthority {
        authority([RoleGrant(account: carol, role: .administrator)], of: carol)
    }

    var auditor: AdminAuthority { authority([RoleGrant(account: carol, role: .auditor)], of: carol) }

    /// Of `uni.example`.
    var ofInstitution: AdminAuthority { ofInstitutions([Administered.uni]) }

    func ofInstitutions(_ ids: [String], age: TimeInterval = 60) -> AdminAuthority {
        authority(
            ids.map { RoleGrant(account: ada, role: .institutionAdministrator, institution: $0) }, of: ada, age: age)
    }

    /// Of `learn`.
    var owner: AdminAuthority {
        authority([RoleGrant(account: carol, role: .serviceOwner, service: "learn")], of: carol)
    }

    var nobody: AdminAuthority { authority([], of: carol) }

    /// A role that somebody has who logs in: of `uni.example`, of `learn`, or of all; `nil` is none.
    func give(_ role: Role?, to user: String) async throws {
        guard let role else { return }
        let account = try await ConsoleVisitor.account(user, server)
        let grant = try #require(
            RoleGrant(
                account: account, role: role,
                institution: role == .institutionAdministrator ? Administered.uni : nil,
                service: role == .serviceOwner ? "learn" : nil))
        _ = try await RoleStore(clock: server.time.clock).grant(grant, by: "admin:test", in: server.database)
    }
}
