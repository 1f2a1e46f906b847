import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import PageTestSupport
import TestSupport
import Testing
import TokenTree

@Suite("What happened at an account has a name each")
struct ActivityKindTests {
    /// Titles of the lines, newest first.
    private func titles(_ browser: Browser) async throws -> [String] {
        let page = try await browser.open(.get, "/account/activity").body
        return page.matches(of: #/<h2><bdi>([^<]*)<\/bdi><\/h2>/#).map { String($0.1) }
    }

    private func submit(_ browser: Browser, _ path: String, _ name: String, _ value: String) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (name, value)])
    }

    private func press(_ link: String, _ server: TestServer, _ fields: [String: String] = [:]) async throws -> Reply {
        let browser = Browser(server), page = try await browser.open(.get, link)
        let pairs = fields.map { ($0.key, $0.value) }
        let form = Browser.form(page).fields.filter { field in !pairs.contains { $0.0 == field.0 } } + pairs
        return try await Patience.whileBusy {
            try await browser.open(.post, Browser.form(page).action, form: form)
        }
    }

    @Test("a branch, an export, an emptied list, a refused deletion and a permission that was taken back")
    func own() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            _ = try await phone.assertion(pat)
            let app = try await server.webApp("Notes"), browser = Browser(server)
            let place = try await browser.signIn(AuthorizationDraft(app.id), as: ada.username)
            _ = try await app.redeem(place.answer["code"])

            let form = Browser.form(try await browser.open(.get, "/account"), action: "/account/branches/end")
            let ended = try await browser.open(.post, form.action, form: form.fields)
            let withdrawn = try await submit(browser, "/account/withdraw", "client", app.id)
            let export = try await browser.open(.get, "/account/export?format=json")
            let emptied = try await submit(browser, "/account/told/empty", "list", "all")
            let titles = try await titles(browser)

            #expect([ended, withdrawn, emptied].map(\.status) == [303, 303, 303] && export.status == 200)
            #expect(
                titles.prefix(4) == [
                    "The list of who was told something was emptied", "Your data were exported",
                    "An application’s permission was withdrawn", "The access to a service was ended",
                ])
        }
    }

    @Test("a line names the phone, the application, the service and the app that it is about, none by an identifier")
    func names() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await server.database.batch([
                "update service set name = 'The lecture hall' where id = 'learn'",
                "update app set name = 'The wallet' where id = \(Residents.app)",
            ])
            let pat = try await phone.logIn(as: ada.username)
            _ = try await phone.assertion(pat)
            let app = try await server.webApp("Notes"), browser = Browser(server)
            let place = try await browser.signIn(AuthorizationDraft(app.id), as: ada.username)
            _ = try await app.redeem(place.answer["code"])
            let form = Browser.form(try await browser.open(.get, "/account"), action: "/account/branches/end")
            _ = try await browser.open(.post, form.action, form: form.fields)
            _ = try await submit(browser, "/account/withdraw", "client", app.id)

            let page = try await browser.open(.get, "/account/activity").body
            func concerns(_ title: String) throws -> String {
                let lines = page.components(separatedBy: "<li>").filter { $0.contains("<bdi>\(title)</bdi></h2>") }
                let line = try #require(lines.first, "\(title)")
                return String(try #require(line.firstMatch(of: #/<dt>Concerns<\/dt><dd>(.*?)<\/dd>/#), "\(line)").1)
            }

            let login = try concerns("First login with a new phone")
            #expect(login.contains("phone</bdi>") && login.contains("<bdi>The wallet</bdi>"))
            #expect(try concerns("An application was allowed something") == "<bdi>Notes</bdi>")
            #expect(try concerns("An application’s permission was withdrawn") == "<bdi>Notes</bdi>")
            #expect(try concerns("The access to a service was ended") == "<bdi>The lecture hall</bdi>")
            #expect([phone.clientID, app.id, Residents.app, ">learn<"].allSatisfy { !page.contains($0) })
        }
    }

    @Test("who tries to log in with a phone named as they like does not write on the person's page")
    func strangers() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let browser = Browser(server)
            _ = try await server.database.execute(
                "update app_instance set name = 'Call 0900 123' where id = \(phone.clientID)")
            let refused = try await phone.logInForCode(as: ada.username, password: "not the right one")
            try await browser.logInWithPassword(as: ada)

            let page = try await browser.open(.get, "/account/activity").body

            #expect(refused.status >= 400 && page.contains("A login was refused"))
            #expect(!page.contains("0900"))
        }
    }

    @Test("what links in mail did: an address confirmed and changed, a password set anew, and all of it undone")
    func byMail() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), browser = Browser(server), own = account.email ?? ""
            try await browser.logInWithPassword(as: account)
            for address in [own, "new-\(account.username)@example.net"] {
                _ = try await browser.submit(try await browser.open(.get, "/account/email"), ["email": address])
                let link = try #require(try await mailbox.fetch().first?.links("address").first)
                try #require(try await press(link, server).status == 200)
            }
            let cut = try #require(try await mailbox.fetch().first?.links("cut").first)
            let before = try await titles(browser)
            try #require(try await press(cut, server).status == 200)
            let reset = try #require(try await mailbox.fetch().first?.links("password").first)
            let next = "quite another long phrase"
            try #require(try await press(reset, server, ["new": next, "again": next]).status == 200)
            let again = Browser(server), door = try await again.follow(try await again.open(.get, "/account"))
            _ = try await again.goOn(door, as: account.username, password: next)
            let after = try await titles(again)

            #expect(before.prefix(2) == ["The e-mail address was changed", "The e-mail address was confirmed"])
            #expect(after.contains("A new password was set by a link"))
            #expect(after.contains("A link in a mail ended what somebody else did"))
        }
    }

    @Test("recovery codes made, used and removed")
    func codes() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(requires: .any), browser = Browser(server)
            try await browser.logInWithPhone(try await server.enrollPhone(of: account))
            let shown = try await browser.submit(try await browser.open(.get, "/account/recovery"))
            let code = try #require(shown.body.firstMatch(of: #/<code>([0-9A-Z\-]{14})<\/code>/#)).1
            let other = Browser(server)
            let page = try #require(try await other.follow(try await other.open(.get, "/account")).page)
            _ = try await Patience.whileBusy {
                try await other.submit(page, ["username": account.username, "password": Residents.password])
            }
            let used = try await other.submit(
                try await other.open(.get, "/login/recovery?return_to=/account"), ["code": String(code)])
            let ownPage = Markup(try await browser.open(.get, "/account").body)
            let removed = try await submit(browser, "/account/recovery/remove", "codes", "all")
            let titles = try await titles(browser)

            #expect(used.place == "/account" && removed.status == 303)
            #expect(ownPage.forms.contains { $0.tag.attributes["action"] == "/account/recovery/remove" })
            #expect(!ownPage.unasked.contains("/account/recovery/remove"), "what cannot be undone is asked first")
            #expect(titles.first == "The recovery codes were removed")
            #expect(titles.contains("A recovery code was used") && titles.contains("Recovery codes were made"))
        }
    }

    @Test("what operators do has no place and leads to no cut: a link for a password, a service that is kept closed")
    func byOperator() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            let admin = AuditActor(name: "admin:root", origin: "tty1")
            for action in ["accounts.invite", "accounts.refuse", "accounts.allow", "accounts.update"] {
                try await AuditTrail.write(
                    AuditEntry(actor: admin, action: action, account: account.id), at: server.time.clock.now(),
                    in: server.database)
            }

            let page = try await browser.open(.get, "/account/activity").body, titles = try await titles(browser)
            let link = try #require(page.firstMatch(of: #/href="(\/account\/activity\/not-me\?event=[^"]*)"/#)).1
            let notMe = try await browser.open(.get, String(link)).body

            #expect(
                titles.prefix(4) == [
                    "Your institution changed something", "Your institution lets you use a service again",
                    "Your institution keeps you out of a service", "Your institution sent a link for a password",
                ])
            #expect(!page.contains("tty1") && !notMe.contains("<form method=\"post\" action=\"/account"))
        }
    }
}
