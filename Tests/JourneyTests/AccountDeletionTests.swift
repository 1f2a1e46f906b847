import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A person deletes their own account")
struct AccountDeletionTests {
    private static let path = "/account/delete"
    private static let allowed = TestServerOptions(deletesThemselves: true)

    private func delete(_ phone: Phone, _ pat: Reply) async throws -> Reply {
        let headers = try phone.dpop(.delete, "/account", token: pat.accessToken)
        return try await phone.server.send(.delete, "/account", headers: headers)
    }

    private func isThere(_ account: Account, _ server: TestServer) async throws -> Bool {
        try await server.database.value("select exists (select from account where id = \(account.id))")
    }

    /// The form of the page, sent.
    private func confirm(_ browser: Browser, _ password: String = Residents.password) async throws -> Reply {
        let page = try #require(try await browser.follow(try await browser.open(.get, Self.path)).page)
        try #require(page.body.contains("action=\"\(Self.path)\""), "page: \(page.body)")
        return try await Patience.whileBusy { try await browser.submit(page, ["password": password]) }
    }

    @Test("by an app: everything that acted for them ends, services are told, the row is gone, the trail has a number")
    func byApp() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), browser = Browser(server), app = try await server.webApp()
            let tokens = try await app.logIn(browser, as: account.username)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: account.username)
            let service = try await phone.redeem(assertion: try await phone.assertion(pat))
            let attributes = try await phone.authorizeApp(service)

            let reply = try await delete(phone, pat)
            try await server.sendEvents()

            #expect(reply.outcome == "200" && reply.json["services_told"]?.integer == 1)
            #expect(reply.json["phones_removed"]?.integer == 0 && reply["deleted_at"] != nil)
            #expect(try await phone.get("/user-profile", token: pat.accessToken).outcome == "401 invalid_token")
            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await browser.open(.get, "/account").status == 303)
            #expect(
                try await server.get(
                    "/services/learn/attributes", headers: [.authorization: "Bearer \(attributes.accessToken)"]
                ).outcome == "401 invalid_token")
            #expect(try await !isThere(account, server))
            let lines: Int = try await server.database.value(
                """
                select count(*) from audit where account = \(account.id) and action = 'accounts.delete'
                    and actor = \("instance:\(phone.clientID)")
                """)
            #expect(lines == 1)
            #expect(try await delete(phone, pat).outcome == "401 invalid_token")
            // The instance lives: somebody else may log in with it.
            #expect(try await phone.logIn(as: "bob").outcome == "200")
        }
    }

    @Test("in a browser: the password is asked for, wrong ones are not taken, and the last page says what happened")
    func inBrowser() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), here = Browser(server), there = Browser(server)
            _ = try await (try await server.webApp()).logIn(there, as: account.username)
            try await here.logInWithPassword(as: account)

            let data = try await here.open(.get, "/account/data")
            let wrong = try await confirm(here, "not that one"), empty = try await confirm(here, "")
            #expect(data.body.contains("href=\"/account/delete\""))
            #expect([wrong, empty].allSatisfy { $0.status == 200 && $0.body.contains("role=\"alert\"") })
            #expect(try await isThere(account, server))
            let done = try await confirm(here)

            #expect(done.status == 200 && done.body.contains("Your account is deleted"))
            #expect(done[header: "Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try await !isThere(account, server))
            #expect(try await there.open(.get, "/account").status == 303)
            let again = try await here.follow(try await here.open(.get, "/account"))
            let refused = try await here.goOn(again, as: account.username).page
            #expect(refused?.body.contains("role=\"alert\"") == true, "nobody is called so any more")
        }
    }

    @Test("phones and passkeys go with the account")
    func factors() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), browser = Browser(server)
            let identity = try await server.enrollPhone(of: account)
            try await browser.logInWithPhone(identity)

            let done = try await confirm(browser)

            let left: Int = try await server.database.value(
                "select count(*) from tiqr_identity where external_id = \(account.id.uuidString.lowercased())")
            #expect(done.body.contains("1 phone or passkey is removed.") && left == 0)
        }
    }

    // MARK: Refusals

    @Test("where the operator deletes accounts, the page says whom to ask, and the endpoints are 403")
    func operatorDeletes() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: account.username)

            let data = try await browser.open(.get, "/account/data"), page = try await browser.open(.get, Self.path)
            let form = try await browser.open(
                .post, Self.path, form: [("form_token", "x"), ("password", Residents.password)])
            let reply = try await delete(phone, pat)

            #expect(data.status == 200 && data.body.contains("by the operator of localhost"))
            #expect(page.status == 403 && page.body.contains("by the operator of localhost"))
            #expect(form.status == 403 && reply.outcome == "403 forbidden")
            #expect(try await isThere(account, server))
        }
    }

    @Test("a login of more than five minutes ago is too old (RFC 9470)")
    func stale() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: account.username)

            server.time.advance(301)
            let old = try await delete(phone, pat)

            #expect(old.outcome == "401 insufficient_user_authentication" && old["max_age"] == "300")
            #expect(old.headers[values: .wwwAuthenticate].contains { $0.contains("max_age=\"300\"") })
            #expect(try await isThere(account, server))
            let fresh = try await phone.logIn(as: account.username)
            #expect(try await delete(phone, fresh).outcome == "200")
        }
    }

    @Test("who has a second factor shows it: a login by the password alone is too weak, in an app and in a browser")
    func weak() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            _ = try await server.enrollPhone(of: account)
            let pat = try await phone.logIn(as: account.username)

            let reply = try await delete(phone, pat), page = try await browser.open(.get, Self.path)

            #expect(reply.outcome == "401 insufficient_user_authentication")
            #expect(reply["acr_values"] == "https://refeds.org/profile/mfa" && reply["max_age"] == nil)
            #expect(page.status == 303 && page.place == "/login/tiqr?return_to=%2Faccount%2Fdelete")
            #expect(try await isThere(account, server))
        }
    }

    @Test("a browser that logged in long ago logs in once more, and comes back")
    func longAgo() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)

            server.time.advance(901)
            let page = try await browser.open(.get, Self.path)
            let back = try await browser.goOn(
                try await browser.follow(page), as: account.username, stopsAt: Self.path)

            #expect(page.place == "/login?return_to=%2Faccount%2Fdelete&again=1")
            #expect(back.page?.body.contains("action=\"\(Self.path)\"") == true)
        }
    }

    @Test("a form of another purpose, of another browser or from another site deletes nobody")
    func foreignForms() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), mine = Browser(server), theirs = Browser(server)
            try await mine.logInWithPassword(as: account)
            try await theirs.logInWithPassword(as: try await server.newResident())
            let own = try await server.formToken(mine, at: Self.path)
            let purpose = try await server.formToken(mine, at: "/account/password")
            let stolen = try await server.formToken(theirs, at: Self.path)
            func send(_ token: String, from origin: String = ServerParts.root) async throws -> Int {
                try await mine.open(
                    .post, Self.path, form: [("form_token", token), ("password", Residents.password)],
                    headers: [.origin: origin]
                ).status
            }

            #expect(try await send(purpose) == 403)
            #expect(try await send(stolen) == 403)
            #expect(try await send("") == 403)
            #expect(try await send(own, from: "https://evil.example") == 403)
            #expect(try await isThere(account, server))
        }
    }

    @Test("an instance's token, an application's, and none: nobody is deleted")
    func otherTokens() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let phone = try await Phone.registered(in: server), app = try await server.webApp()
            let tokens = try await app.logIn(Browser(server)), browser = Browser(server)
            try await browser.logInWithPassword(as: try await server.newResident())
            let bearer: HTTPFields = [.authorization: "Bearer \(tokens.accessToken)"]

            #expect(try await delete(phone, phone.instance).outcome == "403 insufficient_scope")
            #expect(try await server.send(.delete, "/account", headers: bearer).outcome == "403 insufficient_scope")
            #expect(try await server.send(.delete, "/account").outcome == "401 invalid_token")
            // A session is no token: no page elsewhere can send this in its person's name.
            #expect(
                try await browser.open(.delete, "/account", headers: [.accept: "application/json"]).outcome
                    == "401 invalid_token")
        }
    }

    @Test("who was suspended cannot, by what they held before")
    func suspended() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: account.username), browser = Browser(server)
            try await browser.logInWithPassword(as: account)

            _ = try await AccountStore(clock: server.time.clock).setStatus(
                account.id, .suspended, in: server.database)

            #expect(try await delete(phone, pat).outcome == "401 invalid_token")
            #expect(try await browser.open(.get, Self.path).status == 303)
            #expect(try await isThere(account, server))
        }
    }

    @Test("of two at once one deletes, and the other finds nobody")
    func atOnce() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: account.username)

            async let one = delete(phone, pat), other = delete(phone, pat)
            let outcomes = try await [one.outcome, other.outcome].sorted()

            #expect(outcomes == ["200", "401 invalid_token"])
            let lines: Int = try await server.database.value(
                "select count(*) from audit where account = \(account.id) and action = 'accounts.delete'")
            #expect(try await !isThere(account, server) && lines == 1)
        }
    }

    @Test("wrong passwords of the form count as those of a login do, with a line in the trail")
    func guessed() async throws {
        try await TestServer.with(options: Self.allowed) { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            let token = try await server.formToken(browser, at: Self.path)
            var last = ""
            for number in 0..<14 {
                last = try await Patience.whileBusy {
                    try await browser.open(
                        .post, Self.path, form: [("form_token", token), ("password", "guess \(number)")])
                }.body
            }

            #expect(last.contains("There have been too many attempts"))
            let lines: Int = try await server.database.value(
                """
                select count(*) from audit_tally where account = \(account.id) and action = 'account.delete'
                    and outcome = 'refused'
                """)
            #expect(lines >= 1)
            #expect(try await isThere(account, server))
        }
    }
}
