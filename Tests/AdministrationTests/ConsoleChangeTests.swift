import Accounts
import Base
import Foundation
import TestSupport
import Testing

@Suite("Changes at the console")
struct ConsoleChangeTests {
    private static func administrator(
        _ body: @Sendable (ConsoleVisitor, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            try await body(try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server), server)
        }
    }

    private static func status(_ user: String, _ server: TestServer) async throws -> String {
        try await server.database.value("select status from account where username = \(user)")
    }

    @Test("what destroys is shown first, and done by the second button, with its reason in the audit trail")
    func suspend() async throws {
        try await Self.administrator { visitor, server in
            let preview = try await visitor.submit(
                "/admin/accounts/suspend?account=bob", ["reason": "left us"], step: "preview")
            let between = try await Self.status("bob", server)

            let done = try await visitor.press(preview, step: "confirm")

            #expect(preview.status == 200 && preview.body.contains("What this would do"))
            #expect(between == "active")
            #expect(done.status == 303)
            #expect(done[header: "Location"]?.contains("/admin/accounts/show?account=") == true)
            #expect(try await Self.status("bob", server) == "suspended")
            let reason: String? = try await server.database.value(
                "select reason from audit where action = 'accounts.suspend'")
            #expect(reason == "left us")
        }
    }

    @Test("a form that skips the preview gets it")
    func skipping() async throws {
        try await Self.administrator { visitor, server in
            let page = try await visitor.submit("/admin/accounts/suspend?account=bob", step: "save")

            #expect(page.status == 200 && page.body.contains("What this would do"))
            #expect(try await Self.status("bob", server) == "active")
        }
    }

    @Test("what somebody else did meanwhile is shown before it is done")
    func stale() async throws {
        try await Self.administrator { visitor, server in
            let preview = try await visitor.submit("/admin/accounts/suspend?account=bob", step: "preview")
            let other = try await visitor.submit("/admin/accounts/suspend?account=bob", step: "preview")
            _ = try await visitor.press(other, step: "confirm")

            let again = try await visitor.press(preview, step: "confirm")

            #expect(again.status == 200 && again.body.contains("Something has changed since you looked"))
        }
    }

    @Test(
        "what a form says was seen, and nobody can have seen, is asked about again",
        arguments: ["0 0 9223372036854775807 0 ", "0 0 0 9223372036854775807 ", "0 0 -1 0 ", "", "0 0 0 0"])
    func forged(seen: String) async throws {
        try await Self.administrator { visitor, server in
            let preview = try await visitor.submit("/admin/accounts/suspend?account=bob", step: "preview")

            let again = try await visitor.press(preview, ["console_seen": seen], step: "confirm")

            #expect(again.status == 200 && again.body.contains("Something has changed since you looked"))
            #expect(try await Self.status("bob", server) == "active")
        }
    }

    @Test("who logged in long ago does that again before something is destroyed, and comes back to the form")
    func stepUp() async throws {
        try await Self.administrator { visitor, server in
            let form = try await visitor.open("/admin/accounts/suspend?account=bob")
            server.time.advance(1_000)

            let reply = try await visitor.press(form, ["reason": "left us"], step: "preview")

            #expect(reply.status == 303)
            let expected = "return_to=%2Fadmin%2Faccounts%2Fsuspend%3Faccount%3Dbob%26reason%3Dleft%2520us&again=1"
            #expect(reply[header: "Location"]?.hasSuffix(expected) == true, "\(reply[header: "Location"] ?? "")")
            #expect(try await Self.status("bob", server) == "active")
        }
    }

    @Test("an invitation's link stands on the page that made it, and on no other")
    func invitation() async throws {
        try await Self.administrator { visitor, _ in
            let tried = try await visitor.submit("/admin/accounts/invite", ["username": "eve"], step: "preview")
            let made = try await visitor.submit(
                "/admin/accounts/invite", ["username": "eve", "email": "eve@example.org"], step: "save")
            let shown = try await visitor.open("/admin/accounts/show?account=eve")

            #expect(tried.status == 200 && !tried.body.contains("<code>\(ServerParts.root)"))
            #expect(made.status == 200 && made.body.contains("<code>\(ServerParts.root)/"))
            #expect(made.body.contains("This is shown once"))
            #expect(made[header: "Cache-Control"]?.contains("no-store") == true)
            let link = try #require(made.body.firstMatch(of: #/<dd><code>([^<]+)<\/code>/#)?.1)
            #expect(shown.status == 200 && !shown.body.contains(link))
        }
    }

    @Test("a new secret of a service is told once, and a dry run tells none")
    func secret() async throws {
        try await Self.administrator { visitor, _ in
            let path = "/admin/services/rotate-secret?service=learn"
            let tried = try await visitor.submit(path, step: "preview")
            let made = try await visitor.press(tried, step: "confirm")

            let secret = try #require(made.body.firstMatch(of: #/<dd><code>([A-Za-z0-9_\-]{20,})<\/code>/#)?.1)
            #expect(tried.body.firstMatch(of: #/<dd><code>/#) == nil)
            #expect(try await !visitor.open("/admin/services/show?service=learn").body.contains(secret))
        }
    }

    @Test("a password is in no page, whatever goes wrong")
    func password() async throws {
        try await Self.administrator { visitor, _ in
            let reply = try await visitor.submit(
                "/admin/accounts/create", ["username": "ada", "password": "a phrase that nobody else has"], step: "save"
            )

            #expect(reply.status == 400 && reply.body.contains("role=\"alert\""))
            #expect(!reply.body.contains("a phrase that nobody else has"))
        }
    }

    @Test(
        "a mistake stands at its form, with what to do and what was typed",
        arguments: [
            ("/admin/apps/create", ["app": "ch.example.wallet", "name": "Twice"], 400, "is taken"),
            ("/admin/apps/create", ["app": "no good", "name": "Bad"], 400, "letters, digits"),
            ("/admin/services/add", ["base": "ftp://x", "name": "X"], 400, "absolute http"),
            ("/admin/accounts/update?account=bob", ["require_factor": "moon"], 400, "require-factor"),
        ] as [(String, [String: String], Int, String)])
    func mistakes(path: String, fields: [String: String], status: Int, text: String) async throws {
        try await Self.administrator { visitor, _ in
            let reply = try await visitor.submit(path, fields, step: "save")

            #expect(reply.status == status, "\(reply.body)")
            #expect(reply.body.contains("role=\"alert\"") && reply.body.contains(text))
            #expect(reply.body.contains("<title>Problem: "))
        }
    }

    @Test("of a form that began with what is, only what was changed is sent")
    func update() async throws {
        try await Self.administrator { visitor, server in
            let form = try await visitor.open("/admin/accounts/update?account=bob")
            let done = try await visitor.press(form, ["given_name": "Robert"], step: "save")

            #expect(form.body.contains("value=\"bob@example.org\""))
            #expect(done.status == 303, "\(done.body)")
            let names: String = try await server.database.value(
                "select given_name || ' ' || email from account where username = 'bob'")
            #expect(names == "Robert bob@example.org")
        }
    }

    @Test("what somebody else changed meanwhile stays as they have it")
    func meanwhile() async throws {
        try await Self.administrator { visitor, server in
            let form = try await visitor.open("/admin/accounts/update?account=bob")
            try await server.database.execute(
                "update account set email = 'robert@example.org' where username = 'bob'")
            let looked = try await visitor.press(form, ["given_name": "Robert"], step: "preview")
            let done = try await visitor.press(looked, step: "confirm")

            #expect(done.status == 303, "\(done.body)")
            let names: String = try await server.database.value(
                "select given_name || ' ' || email from account where username = 'bob'")
            #expect(names == "Robert robert@example.org")
        }
    }

    @Test("the refusal of an app version tells in words and numbers what ends, and ends it")
    func version() async throws {
        try await Self.administrator { visitor, server in
            let phone = try await Phone.registered(in: server), login = try await phone.logIn()
            let preview = try await visitor.submit(
                "/admin/apps/versions/refuse?app=\(Residents.app)&version=1", step: "preview")
            let done = try await visitor.press(preview, step: "confirm")

            #expect(preview.body.contains("Every phone with this version is logged out at once"))
            #expect(preview.body.firstMatch(of: #/\d+ tokens? ends?\./#) != nil, "\(preview.body)")
            #expect(done.status == 303)
            #expect(try await phone.get("/userinfo", token: login.accessToken).status == 401)
        }
    }

    @Test("an unknown thing is a page that says so")
    func unknown() async throws {
        try await Self.administrator { visitor, _ in
            for path in [
                "/admin/accounts/show?account=nobody", "/admin/accounts/suspend?account=nobody",
                "/admin/services/show?service=nothing", "/admin/apps/versions?app=nothing",
            ] {
                let reply = try await visitor.open(path)

                #expect(reply.status == 404, "\(path)")
            }
        }
    }

    @Test("a form of another page, or of somebody else, changes nothing")
    func foreignForms() async throws {
        try await Self.administrator { visitor, server in
            let own = try await server.formToken(visitor.browser, at: "/account/password")
            let reply = try await visitor.browser.open(
                .post, "/admin/accounts/suspend",
                form: [("form_token", own), ("account", "bob"), ("console_step", "confirm")])

            #expect(reply.status == 403)
            #expect(try await Self.status("bob", server) == "active")
        }
    }
}
