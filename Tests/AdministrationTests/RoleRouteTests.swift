import Accounts
import Base
import Foundation
import HTTPTypes
import PandoClient
import TestSupport
import Testing

@testable import Administration
@testable import Commands
@testable import Console

/// `RoleTableTests` asks the permissions; here those are asked who might have forgotten to ask them. Pages that only
/// show are in `ConsoleRouteTests`.
@Suite("What a role may not, no route does", .timeLimit(.minutes(30)))
struct RoleRouteTests {
    private static let catalog = AdminCatalog.ofServer
    /// An administrator may everything; `nil` has no role.
    private static let roles: [Role?] = [nil, .auditor, .institutionAdministrator, .serviceOwner]

    /// By the table of docs/design/roles.md, whatever the command works on.
    private static func isShut(_ entry: AdminEntry, to role: Role?) -> Bool {
        let rule = entry.rule
        guard rule?.audience != .anybody else { return false }
        guard let role else { return true }
        guard role == .auditor else { return rule?.admits(role) != true }
        return entry.isChange && rule?.looksWithout == nil || rule?.tellsSecret == true
    }

    /// What they did, as the audit trail has it.
    private static func deeds(_ user: String, _ server: TestServer) async throws -> Int {
        let account = try await ConsoleVisitor.account(user, server).uuidString.lowercased()
        return try await server.database.value("select count(*) from audit where actor = \("account:" + account)")
    }

    @Test("each command of the API is refused to each role that it is not for", arguments: roles)
    func api(role: Role?) async throws {
        try await Administered.with { (it: Administered) async throws in
            let server = it.server, party = try await AdminParty.person(server, as: "bob")
            try await it.give(role, to: "bob")
            let before = try await Self.deeds("bob", server)
            let remote = try RemoteServer(
                ServerParts.root, files: LoginFiles(environment: [:]),
                transport: Transport { _ in Transport.Response(status: 500) })
            var refused = 0, others: Set<String> = []
            for place in server.parts.routes.endpoints where place.path.hasPrefix(AdminParty.root + "/") {
                let entry = Self.catalog.entries.first {
                    $0.route.method == place.method.rawValue && AdminParty.root + $0.route.path == place.path
                }
                guard let entry else {
                    others.insert(String(place.path.dropFirst(AdminParty.root.count)))
                    continue
                }
                guard Self.isShut(entry, to: role) else { continue }
                // The call of its manual page, which is complete.
                let call = try RemoteCommand(server: remote, entry: entry, arguments: entry.example).request()
                var headers = party.headers
                if !call.body.isEmpty { headers[.contentType] = "application/json" }

                let reply = try await server.send(
                    place.method, String(call.url.dropFirst(ServerParts.root.count)), headers: headers,
                    body: call.body.isEmpty ? nil : call.body)

                #expect(reply.outcome == "403 forbidden", "\(entry.words): \(reply.body)")
                refused += 1
            }
            #expect(refused > 20)
            // For the scope `admin`, whatever the role: CrawlHealthTests.
            #expect(others == ["/crawl", "/crawl/{service}", "/crawl/{service}/run"])
            #expect(try await Self.deeds("bob", server) == before)
        }
    }

    @Test("each form of the console is refused to each role that it is not for", arguments: roles)
    func forms(role: Role?) async throws {
        try await Administered.with { (it: Administered) async throws in
            let server = it.server, visitor = try await ConsoleVisitor.logIn("bob", server)
            try await it.give(role, to: "bob")
            // A page for anybody has it: a form that was got elsewhere is no way around.
            let token = try await server.formToken(visitor.browser, at: "/admin/services/propose")
            try #require(!token.isEmpty)
            let before = try await Self.deeds("bob", server)
            var refused = 0
            for place in server.parts.routes.endpoints
            where place.method == .post && place.path.hasPrefix("/admin/") && !place.path.hasPrefix("/admin/api/") {
                let entry = try #require(Self.entry(of: place.path), "\(place.path) is no command's")
                guard Self.isShut(entry, to: role) else { continue }
                let fields = Self.fields(entry, it)

                let reply = try await visitor.browser.open(
                    .post, place.path, form: [("form_token", token)] + fields + [("console_step", "confirm")])

                // Who sees a thing's page is told before that it is not there, or could not be.
                let isThere = try await Self.isThere(entry, fields, it)
                let statuses = isThere ? [403] : [400, 403, 404]
                #expect(statuses.contains(reply.status), "\(place.path): \(reply.status)")
                refused += isThere ? 1 : 0
            }
            #expect(refused > 10)
            #expect(try await Self.deeds("bob", server) == before)
        }
    }

    /// A page at an address of its own is in the navigation.
    private static func entry(of path: String) -> AdminEntry? {
        let words = path.split(separator: "/").dropFirst().map(String.init)
        let place = ConsoleNavigation.groups.flatMap(\.places).first { $0.href == path }
        return catalog.entry(words) ?? place.flatMap { catalog.entry($0.words) }
    }

    /// The call of its manual page, about what is there and is of whoever has a part of the federation.
    private static func fields(_ entry: AdminEntry, _ it: Administered) -> [(String, String)] {
        let known = [
            "account": "ada", "app": Residents.app, "version": "1", "service": "learn",
            "institution": Administered.uni,
            "id": entry.noun == ["instances"] ? "phone-ada" : it.server.residents.machine.id,
        ]
        return entry.formExample.map { name, value -> (String, String) in
            let isFile = entry.arguments.contains { $0.name == name && $0.isFile }
            return (name, (isFile ? nil : known[name]) ?? value.string ?? "")
        }
    }

    private static func isThere(
        _ entry: AdminEntry, _ fields: [(String, String)], _ it: Administered
    ) async throws -> Bool {
        guard !entry.makes, let show = catalog.entry(entry.noun + ["show"]) else { return true }
        let named = show.taking(fields)
        guard show.needed.allSatisfy({ need in named.contains { $0.0 == need.name } }) else { return true }
        return try await it.refusal(
            show.words.joined(separator: " "), FormField.arguments(named, of: show), as: .operatorOfDatabase) == nil
    }
}
