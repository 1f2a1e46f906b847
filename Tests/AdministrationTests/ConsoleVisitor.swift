import Accounts
import Base
import Foundation
import TestSupport
import Testing
import TokenTree

/// Somebody at the console in a browser of theirs.
struct ConsoleVisitor: Sendable {
    let browser: Browser

    /// Logged in as that person, who gets these roles first.
    static func with(
        _ roles: [(Role, institution: String?, service: String?)], as user: String, _ server: TestServer
    )
        async throws -> ConsoleVisitor
    {
        let account = try await account(user, server)
        let store = RoleStore(clock: server.time.clock)
        for (role, institution, service) in roles {
            let grant = try #require(
                RoleGrant(account: account, role: role, institution: institution, service: service))
            _ = try await store.grant(grant, by: "admin:test", in: server.database)
        }
        return try await logIn(user, server)
    }

    static func logIn(_ user: String, _ server: TestServer) async throws -> ConsoleVisitor {
        let browser = Browser(server)
        _ = try await browser.goOn(.page(try await browser.open(.get, "/login?return_to=/account")), as: user)
        return ConsoleVisitor(browser: browser)
    }

    static func account(_ user: String, _ server: TestServer) async throws -> UUID {
        let store = AccountStore(clock: server.time.clock)
        return try #require(try await store.find(user, in: server.database)).id
    }

    func open(_ path: String, language: String = "en") async throws -> Reply {
        try await browser.open(.get, path, headers: [.acceptLanguage: language])
    }

    /// The form of the page at `path` that posts, filled in and sent by the button with that step.
    func submit(_ path: String, _ fields: [String: String] = [:], step: String) async throws -> Reply {
        try await press(try await open(path), fields, step: step)
    }

    /// The same of a page that is there. What is ticked is no field of a form until it is named.
    func press(_ page: Reply, _ fields: [String: String] = [:], step: String) async throws -> Reply {
        let ticks = Set(page.body.matches(of: #/type="checkbox" id="[^"]*" name="([^"]*)"/#).map { String($0.1) })
        let (action, all) = Browser.form(page)
        let changes = fields.merging(["console_step": step]) { $1 }
        let kept = all.filter { changes[$0.0] == nil && !ticks.contains($0.0) }
        return try await browser.open(.post, action, form: kept + changes.sorted { $0.key < $1.key })
    }
}
