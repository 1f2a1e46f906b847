import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("What happened at an account, and who was told something")
struct AccountActivityTests {
    private func submit(_ browser: Browser, _ path: String, _ name: String, _ value: String) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (name, value)])
    }

    /// Addresses behind "That was not me", newest first, with the titles of their lines.
    private func lines(_ browser: Browser) async throws -> [(title: String, address: String)] {
        let page = try await browser.open(.get, "/account/activity").body
        return page.matches(
            of: #/<h2><bdi>([^<]*)<\/bdi><\/h2>.*?href="(\/account\/activity\/not-me\?event=[^"]*)"/#
                .dotMatchesNewlines()
        ).map { (String($0.1), String($0.2)) }
    }

    @Test("logins, refusals and new phones are listed, and each leads to the cut that is right for it")
    func activity() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: ada.username)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            let stranger = Browser(server), page = try await stranger.open(.get, "/login?return_to=/account")
            _ = try await Patience.whileBusy {
                try await stranger.submit(page, ["username": ada.username, "password": "not the right one"])
            }

            let lines = try await lines(browser)
            func place(_ title: String) async throws -> String {
                let line = try #require(lines.first { $0.title == title }, "\(lines.map(\.title))")
                return try await browser.open(.get, line.address).body
            }

            let phones = try await place("First login with a new phone")
            let login = try await place("Login in a browser")
            let refused = try await place("A login was refused")
            #expect(phones.contains("action=\"/account/disconnect\"") && phones.contains(phone.clientID))
            #expect(login.contains("action=\"/account/end\"") && login.contains("the browser in which you are reading"))
            #expect(!refused.contains("method=\"post\"") && refused.contains("Nobody got in by it"))
            #expect([phones, login, refused].allSatisfy { $0.contains("href=\"/account/password\"") })

            let form = Browser.form(Reply(status: 200, headers: [:], body: phones), action: "/account/disconnect")
            #expect(try await browser.open(.post, form.action, form: form.fields).status == 303)
            #expect(try await phone.get("/userinfo", token: phone.instance.accessToken).status == 401)
            #expect(try await place("First login with a new phone").contains("has ended already"))
        }
    }

    @Test("a line of somebody else's, one that nobody has, and none are refused; a stranger logs in first")
    func foreign() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let mine = Browser(server), theirs = Browser(server)
            try await mine.logInWithPassword(as: ada)
            try await theirs.logInWithPassword(as: eve)
            let line = try #require(try await lines(mine).first)

            #expect(try await mine.open(.get, line.address).status == 200)
            #expect(try await theirs.open(.get, line.address).status == 404)
            #expect(try await theirs.open(.get, "/account/activity/not-me?event=1").status == 404)
            #expect(try await theirs.open(.get, "/account/activity/not-me").status == 400)
            for path in ["/account/activity", "/account/told", line.address] {
                let stranger = try await Browser(server).open(.get, path)
                #expect(stranger.status == 303, "\(path)")
                #expect(stranger[header: "Location"]?.contains("/login?return_to=") == true)
            }
        }
    }

    @Test("who was told what, by which login, through what; and the list can be emptied without ending anything")
    func told() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            _ = try await phone.assertion(pat)
            let app = try await server.webApp("Notes"), browser = Browser(server)
            let place = try await browser.signIn(AuthorizationDraft(app.id), as: ada.username)
            let tokens = try await app.redeem(place.answer["code"])

            let page = try await browser.open(.get, "/account/told").body
            #expect(page.contains("<bdi>learn</bdi>") && page.contains("<bdi>Notes</bdi>"))
            #expect(page.contains("E-mail address") && page.contains("<bdi>password</bdi>"))
            let emptied = try await submit(browser, "/account/told/empty", "list", "all")

            #expect(emptied.status == 303)
            #expect(try await browser.open(.get, "/account/told").body.contains("Nobody was told anything about you."))
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
            let tree = try await phone.get("/account/tree", token: pat.accessToken).json["nodes"]?.array ?? []
            #expect(tree.first?["children"]?.array?.count == 1, "what hangs there is still to be seen")
            _ = try await phone.assertion(pat)
            #expect(try await browser.open(.get, "/account/told").body.contains("<bdi>learn</bdi>"), "told anew")
        }
    }

    @Test("the services that were used are listed by name, and are forgotten from the page without ending anything")
    func used() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: ada.username)
            let other = try await Phone.registered(in: server), evesPAT = try await other.logIn(as: eve.username)
            for service in [ServerParts.base, Residents.quietBase] { _ = try await phone.assertion(pat, for: service) }
            _ = try await other.assertion(evesPAT)
            _ = try await server.database.execute("update service set name = 'The lecture hall' where id = 'learn'")
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            let before = try await browser.open(.get, "/account/told")
            let form = Browser.form(before, action: "/account/used/empty")

            let emptied = try await browser.open(.post, form.action, form: form.fields)

            let after = try await browser.open(.get, "/account/told").body
            #expect(before.body.contains("Services that you used"))
            #expect(before.body.contains("<h3><bdi>The lecture hall</bdi></h3>"))
            #expect(before.body.contains("<h3><bdi>quiet</bdi></h3>"))
            #expect(emptied.status == 303 && emptied[header: "Location"]?.hasSuffix("?done=used-emptied") == true)
            #expect(!after.contains("Services that you used") && after.contains("<bdi>The lecture hall</bdi>"))
            let list = try await phone.get("/service-discovery/user", token: pat.accessToken)
            #expect(list.json.strings == [])
            let eves = try await other.get("/service-discovery/user", token: evesPAT.accessToken)
            #expect(eves.json.strings == [ServerParts.base], "of nobody else")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).status == 200)
            _ = try await phone.assertion(pat)
            #expect(try await browser.open(.get, "/account/told").body.contains("Services that you used"), "used anew")
        }
    }

    @Test(
        "a form of another person's, or without a token, ends nothing",
        arguments: [
            "/account/branches/end", "/account/services/end", "/account/others/end", "/account/told/empty",
            "/account/used/empty",
        ])
    func forged(_ path: String) async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), eve = try await server.newResident()
            let mine = Browser(server), theirs = Browser(server)
            try await mine.logInWithPassword(as: ada)
            try await theirs.logInWithPassword(as: eve)
            let stolen = try await server.formToken(theirs, at: "/account")
            let fields = [("kind", "browser"), ("branch", "x"), ("list", "all")]

            let without = try await mine.open(.post, path, form: fields)
            let foreign = try await mine.open(.post, path, form: fields + [("form_token", stolen)])
            let elsewhere = try await mine.open(
                .post, path,
                form: fields + [("form_token", try await server.formToken(mine, at: "/account"))],
                headers: [.origin: "https://evil.example"])

            #expect([without, foreign, elsewhere].map(\.status) == [403, 403, 403])
            #expect(try await mine.open(.get, "/account").status == 200)
        }
    }

    @Test("all other browsers, or all phones, end at once; this browser stays")
    func others() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), here = Browser(server), there = Browser(server)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: ada.username)
            try await here.logInWithPassword(as: ada)
            try await there.logInWithPassword(as: ada)

            #expect(try await submit(here, "/account/others/end", "kind", "browser").status == 303)
            #expect(try await here.open(.get, "/account").status == 200)
            #expect(try await there.open(.get, "/account").status == 303)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).status == 200)

            #expect(try await submit(here, "/account/others/end", "kind", "instance").status == 303)
            #expect(try await phone.get("/userinfo", token: pat.accessToken).status == 401)
            #expect(try await submit(here, "/account/others/end", "kind", "client").status == 400)
            #expect(try await submit(here, "/account/others/end", "kind", "<script>").status == 400)
        }
    }

    @Test("a branch is ended on the page, and its address does not work twice")
    func branch() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            let service = try await phone.redeem(assertion: try await phone.assertion(pat))
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            let page = try await browser.open(.get, "/account")
            let form = Browser.form(page, action: "/account/branches/end")

            #expect(try await browser.open(.post, form.action, form: form.fields).status == 303)
            try await server.sendEvents()

            #expect(
                try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
                    == "400 invalid_grant")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).status == 200)
            #expect(try await browser.open(.post, form.action, form: form.fields).status == 404)
        }
    }

    @Test("what was told 401 days ago is forgotten")
    func forgotten() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.assertion(try await phone.logIn(as: ada.username))
            func rows() async throws -> Int {
                try await server.database.value("select count(*) from disclosure where account = \(ada.id)")
            }
            #expect(try await rows() == 1)
            _ = try await server.database.execute(
                "update disclosure set last_at = last_at - interval '401 days' where account = \(ada.id)")

            try await server.parts.idp.web.forget()

            #expect(try await rows() == 0)
        }
    }
}
