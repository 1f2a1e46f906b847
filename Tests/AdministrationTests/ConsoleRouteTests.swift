import Accounts
import Administration
import Base
import Commands
import HTTP
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@testable import Console

@Suite("Every page of the console, by every role")
struct ConsoleRouteTests {
    /// Pages of the console, of the table that the server has.
    private static func pages(_ server: TestServer) -> [(method: HTTPRequest.Method, path: String)] {
        server.parts.routes.endpoints
            .filter { $0.path == "/admin" || $0.path.hasPrefix("/admin/") && !$0.path.hasPrefix("/admin/api/") }
            .map { ($0.method, $0.path) }
    }

    private static func entry(_ path: String) -> AdminEntry? {
        let words = path.split(separator: "/").dropFirst().map(String.init)
        let catalog = AdminCatalog.ofServer
        return catalog.entry(words) ?? catalog.entry(words + ["list"])
    }

    @Test("nobody gets in without a login, and comes back to the page afterwards")
    func anonymous() async throws {
        try await TestServer.with { server in
            let browser = Browser(server), pages = Self.pages(server)

            #expect(pages.count > 100)
            for page in pages where page.method == .get {
                let reply = try await browser.open(.get, page.path + "?account=ada")

                let location = reply[header: "Location"] ?? ""
                #expect(
                    reply.status == 303 && location.hasPrefix("\(ServerParts.root)/login?return_to=%2Fadmin"), "\(page)"
                )
            }
        }
    }

    @Test("a form that was made for nobody is refused")
    func formsOfNobody() async throws {
        try await TestServer.with { server in
            let browser = Browser(server)
            for page in Self.pages(server) where page.method == .post {
                let reply = try await browser.open(.post, page.path, form: [("form_token", "x")])

                #expect(reply.status == 403, "\(page)")
            }
        }
    }

    @Test("who has no role sees nothing, and is told so")
    func noRole() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.logIn("bob", server)
            for page in Self.pages(server) where page.method == .get {
                let reply = try await visitor.open(page.path)

                if Self.entry(page.path)?.isForAnybody == true {
                    #expect(reply.status == 200, "\(page): \(reply.body.prefix(2_000))")
                } else {
                    #expect(reply.status == 403 && reply.body.contains("You have no role here"), "\(page)")
                }
            }
        }
    }

    @Test("an auditor looks at everything but secrets, and changes nothing")
    func auditor() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.auditor, nil, nil)], as: "bob", server)
            let session = try await Self.session("bob", server)
            var refused = 0
            for page in Self.pages(server) where page.method == .get {
                let entry = Self.entry(page.path)
                let refusal = try await Self.refusal(entry, in: session)

                let reply = try await visitor.open(page.path)

                #expect(reply.status == (refusal == nil ? 200 : 403), "\(page): \(reply.body.prefix(2_000))")
                refused += refusal == nil ? 0 : 1
            }
            #expect(refused > 50)
            // A form that was got by another role is no way around.
            let token = try await server.formToken(visitor.browser, at: "/admin/services/policy?service=learn")
            let change = try await visitor.browser.open(
                .post, "/admin/accounts/suspend",
                form: [("form_token", token), ("account", "ada"), ("console_step", "confirm")])
            #expect(!token.isEmpty && change.status == 403)
        }
    }

    /// What whoever it is may do, as the commands ask it.
    private static func session(_ user: String, _ server: TestServer) async throws -> AdminSession {
        let account = try await ConsoleVisitor.account(user, server)
        let grants = try await RoleStore(clock: server.time.clock).grants(of: account, in: server.database)
        return server.parts.composition.administrationSession(
            by: AuditActor(name: "account:\(user)"),
            who: AdminAuthority(grants, of: account, authenticatedAt: server.time.now))
    }

    /// `nil` for pages of no command.
    private static func refusal(_ entry: AdminEntry?, in session: AdminSession) async throws -> AdminFailure.Code? {
        guard let entry else { return nil }
        return try await AdminCatalog.ofServer.refusal(entry, [:], in: session)?.code
    }

    @Test("an administrator gets every page")
    func administrator() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            for page in Self.pages(server) where page.method == .get {
                let reply = try await visitor.open(page.path)

                #expect(reply.status == 200, "\(page): \(reply.status) \(reply.body.prefix(2_000))")
                #expect(reply[header: "Cache-Control"]?.contains("no-store") == true, "\(page)")
            }
        }
    }

    @Test("who has a part of the federation gets the pages that the permissions let in, and no others")
    func parts() async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute(
                """
                insert into institution (id, name, created_at) values ('uni', 'University', \(server.time.clock.now()))
                """)
            for (user, role) in [
                ("ada", (Role.institutionAdministrator, "uni", nil)), ("bob", (Role.serviceOwner, nil, "learn")),
            ] as [(String, (Role, String?, String?))] {
                let visitor = try await ConsoleVisitor.with([role], as: user, server)
                let session = try await Self.session(user, server)
                for page in Self.pages(server) where page.method == .get {
                    // A page that is made by hand asks what it shows for itself.
                    guard let entry = Self.entry(page.path), CatalogPages.has(entry) else { continue }
                    let refused = try await Self.refusal(entry, in: session)

                    let reply = try await visitor.open(page.path)

                    let expected = [nil: 200, .forbidden: 403, .notFound: 404][refused]
                    #expect(reply.status == expected, "\(role): \(page)")
                }
            }
        }
    }

    @Test("a role that was taken away opens nothing at the next page, and neither does a suspended account")
    func withdrawn() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            let account = try await ConsoleVisitor.account("ada", server)
            let before = try await visitor.open("/admin/accounts")

            let grant = try #require(RoleGrant(account: account, role: .administrator))
            _ = try await RoleStore(clock: server.time.clock).withdraw(grant, in: server.database)

            #expect(before.status == 200)
            #expect(try await visitor.open("/admin/accounts").status == 403)
        }
    }

    @Test("a database that is away is 503 with Retry-After, never a refusal")
    func away() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            let cookies = await visitor.browser.cookies
            try await server.withoutDatabase { away in
                let browser = Browser(away)
                for (name, value) in cookies { await browser.set(cookie: name, to: value) }

                let reply = try await browser.open(.get, "/admin/accounts")

                #expect(reply.status == 503)
                #expect(reply[header: "Retry-After"] != nil)
            }
        }
    }
}
