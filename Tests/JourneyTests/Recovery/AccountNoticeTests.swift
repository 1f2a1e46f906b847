import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Mail
import OAuth
import TestSupport
import Testing
import TokenTree

@Suite("Notices by mail, addresses, and \"that was not me\"")
struct AccountNoticeTests {
    private static let next = "quite another long phrase"

    private func press(_ link: String, _ server: TestServer) async throws -> Reply {
        let browser = Browser(server), page = try await browser.open(.get, link)
        guard page.status == 200 else { return page }
        return try await Patience.whileBusy { try await browser.submit(page) }
    }

    private func changePassword(_ browser: Browser) async throws {
        let form = try await browser.server.formToken(browser, at: "/account/password")
        let done = try await Patience.whileBusy {
            try await browser.open(
                .post, "/account/password",
                form: [
                    ("form_token", form), ("current", Residents.password), ("new", Self.next), ("again", Self.next),
                ])
        }
        try #require(done.status == 303)
    }

    @Test("a new phone is told of, once, and the link disconnects it alone")
    func device() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            let first = try await phone.logIn(as: account.username)
            let second = try await phone.logIn(as: account.username)

            let mails = try await mailbox.fetch(), link = try #require(mails.first?.links("cut").first)
            let shown = try await server.get(link)
            let alive = try await phone.get("/user-profile", token: second.accessToken)
            let done = try await press(link, server), again = try await press(link, server)

            #expect(first.outcome == "200" && mails.map(\.subject) == ["A new phone is connected"])
            #expect(shown.status == 200 && alive.status == 200, "looking changes nothing")
            #expect(done.status == 200 && again.status == 404)
            #expect(try await phone.get("/user-profile", token: second.accessToken).status == 401)
            #expect(try await browser.open(.get, "/account").status == 200)
        }
    }

    @Test("a login in a browser that the account was never used in is told of, once; the link ends everything")
    func browser() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), mine = Browser(server), thief = Browser(server)
            try await mine.logInWithPassword(as: account)
            let atFirst = try await mailbox.waiting()
            try await thief.logInWithPassword(as: account)
            let mails = try await mailbox.fetch(), cut = try #require(mails.first?.links("cut").first)
            _ = try await thief.submit(try await thief.open(.get, "/logout"), ["decision": "logout"])
            let isOut = try await thief.whoIsIn() == nil
            try await thief.logInWithPassword(as: account)
            let known = try await mailbox.waiting(), shown = try await server.get(cut),
                still = try await thief.whoIsIn()

            let done = try await press(cut, server)

            #expect(atFirst == 0, "an account begins somewhere")
            #expect(mails.map(\.subject) == ["A login in a new browser"] && isOut && known == 0, "it is known now")
            #expect(shown.status == 200 && still != nil, "looking changes nothing")
            #expect(done.status == 200)
            #expect(try await [thief.whoIsIn(), mine.whoIsIn()].allSatisfy { $0 == nil })
            #expect(try await mailbox.fetch().map(\.subject) == ["Set a new password"])
        }
    }

    @Test("who used it by a phone alone is told of the first browser, in the language that is theirs")
    func firstBrowser() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: account.username)
            _ = try await mailbox.fetch()
            try await server.database.execute(
                "insert into account_language (account, language) values (\(account.id), 'de')")

            try await Browser(server).logInWithPassword(as: account)

            #expect(try await mailbox.fetch().map(\.subject) == ["Anmeldung in einem neuen Browser"])
        }
    }

    @Test("a changed password is told of, and the link ends everything and sends another for a new one")
    func password() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), thief = Browser(server)
            try await thief.logInWithPassword(as: account)
            try await changePassword(thief)

            let mails = try await mailbox.fetch(), cut = try #require(mails.first?.links("cut").first)
            let done = try await press(cut, server)
            let reset = try await mailbox.fetch()

            #expect(mails.map(\.subject) == ["Your password has been changed"] && done.status == 200)
            #expect(try await thief.open(.get, "/account").status == 303, "the thief is out")
            let back = try await thief.goOn(
                try await thief.follow(try await thief.open(.get, "/account")), as: account.username,
                password: Self.next)
            #expect(back.page.map { Browser.form($0).fields.contains { $0.0 == "password" } } == true)
            #expect(reset.map(\.subject) == ["Set a new password"])
            let link = try #require(reset.first?.links("password").first), form = try await server.get(link)
            #expect(form.status == 200)
        }
    }

    @Test("a new passkey is told of, and the link takes it away")
    func factor() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account)
            try await server.parts.idp.web.recovery.factorAdded("tiqr", id: identity.name, to: account)
            let mail = try #require(try await mailbox.fetch().first), link = try #require(mail.links("cut").first)

            let done = try await press(link, server)

            #expect(mail.subject == "A new way to log in" && mail.text.contains("A phone") && done.status == 200)
            let left = try await server.number(
                "select count(*) from tiqr_identity where identity = \(identity.name)")
            #expect(left == 0)
        }
    }

    @Test("a factor that was removed is told of, and the link throws out whoever removed it")
    func removal() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                thief = Browser(server)
            try await thief.logInWithPhone(identity)
            let form = try await server.formToken(thief, at: "/account")
            let unknown = try await thief.open(
                .post, "/account/phones/remove", form: [("form_token", form), ("phone", "none")])
            let none = try await mailbox.fetch()
            let gone = try await thief.open(
                .post, "/account/phones/remove", form: [("form_token", form), ("phone", identity.name)])
            let mails = try await mailbox.fetch(), link = try #require(mails.first?.links("cut").first)

            let page = try await server.get(link), still = try await thief.whoIsIn()
            let done = try await press(link, server), out = try await thief.whoIsIn()

            #expect(unknown.status >= 400 && none.isEmpty, "what came to nothing is not told of")
            #expect(gone.place == "/account?done=phone-removed")
            #expect(mails.map(\.subject) == ["A way to log in was removed"])
            #expect(mails.first?.text.contains("Removed: A phone") == true)
            #expect(page.status == 200 && page.body.contains("A phone") && still != nil, "looking changes nothing")
            #expect(done.status == 200 && out == nil)
            #expect(try await mailbox.fetch().map(\.subject) == ["Set a new password"])
        }
    }

    @Test("removed recovery codes are told of once, and those that nobody has are not")
    func codesRemoved() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                browser = Browser(server)
            try await browser.logInWithPhone(identity)
            _ = try await browser.submit(try await browser.open(.get, "/account/recovery"))
            _ = try await mailbox.fetch()
            let form = [("form_token", try await server.formToken(browser, at: "/account")), ("codes", "all")]

            let first = try await browser.open(.post, "/account/recovery/remove", form: form)
            let told = try await mailbox.fetch().map(\.subject)
            let again = try await browser.open(.post, "/account/recovery/remove", form: form)
            let more = try await mailbox.fetch()

            #expect([first, again].map(\.place) == ["/account?done=codes-removed", "/account?done=codes-removed"])
            #expect(told == ["A way to log in was removed"] && more.isEmpty)
        }
    }

    @Test("an address is its person's when the link was followed; the old one is told, and takes it back")
    func address() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), browser = Browser(server),
                accounts = AccountStore(clock: server.time.clock)
            try await browser.logInWithPassword(as: account)
            let page = try await browser.open(.get, "/account/email")
            let asked = try await browser.submit(page, ["email": "new-\(account.username)@example.net"])
            let mails = try await mailbox.fetch(), link = try #require(mails.first?.links("address").first)
            let before = try await accounts.find(account.id, in: server.database)

            let done = try await press(link, server), again = try await press(link, server)
            let after = try await accounts.find(account.id, in: server.database)
            let told = try await mailbox.fetch()

            #expect(asked.status == 200 && mails.map(\.to.text) == ["new-\(account.username)@example.net"])
            #expect(before?.email == account.email, "asking changes nothing")
            #expect(done.status == 200 && again.status == 404)
            #expect(after?.email == "new-\(account.username)@example.net" && after?.emailVerifiedAt != nil)
            #expect(told.map(\.to.text) == [account.email ?? ""])

            let back = try await press(try #require(told.first?.links("cut").first), server)
            let finally = try await accounts.find(account.id, in: server.database)
            #expect(back.status == 200 && finally?.email == account.email)
            #expect(try await browser.open(.get, "/account").status == 303)
            let reset = try await mailbox.fetch().map(\.to.text)
            #expect(reset == [account.email ?? ""], "the link for a new password")
        }
    }

    @Test(
        "what is no address is not mailed to",
        arguments: ["nobody", "a@b\r\nBcc: eve@example.org", "a b@example.org", String(repeating: "a", count: 300)])
    func hostile(_ text: String) async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)

            let reply = try await browser.submit(try await browser.open(.get, "/account/email"), ["email": text])

            #expect(reply.status == 200 && reply.body.contains("role=\"alert\""))
            #expect(try await mailbox.waiting() == 0)
        }
    }

    @Test("mail is in the language of the browser in which its reader last logged in")
    func language() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident()
            try await server.database.execute(
                "insert into account_language (account, language) values (\(account.id), 'fr')")
            try await server.database.atomically {
                try await server.parts.idp.web.recovery.notices.passwordChanged(of: account, in: $0)
            }

            #expect(try await mailbox.fetch().map(\.subject) == ["Votre mot de passe a été modifié"])
        }
    }

    @Test("a name of somebody's makes no markup and no header of a letter")
    func names() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            try await server.database.execute(
                "update app_instance set name = \("<script>alert(1)</script>\r\nBcc: eve@example.org")")
            _ = try await phone.logIn(as: account.username)

            let mail = try #require(try await mailbox.fetch().first)

            #expect(!mail.html.contains("<script>") && mail.html.contains("&lt;script&gt;"))
            #expect(mail.text.contains("<script>alert(1)</script> Bcc: eve@example.org"))
            #expect(mail.source.split(separator: "\r\n").allSatisfy { !$0.hasPrefix("Bcc:") })
        }
    }
}
