import Accounts
import Base
import Foundation
import Mail
import TestSupport
import Testing

/// Mail is on in them, so each has a server of its own.
@Suite("Whoever may log in by way of an institution is told so")
struct UpstreamNoticeTests {
    private static let told = "A new way to log in", gone = "A way to log in was removed"
    private static let newBrowser = "A login in a new browser"

    private func links(_ server: TestServer) async throws -> Int64 {
        try await server.number("select count(*) from upstream_link")
    }

    private func press(_ link: String, _ server: TestServer) async throws -> Reply {
        let browser = Browser(server), page = try await browser.open(.get, link)
        guard page.status == 200 else { return page }
        return try await Patience.whileBusy { try await browser.submit(page) }
    }

    @Test("a link that somebody made is told of once; its cut takes it away, with everybody who came in by it")
    func linked() async throws {
        try await TestServer.withMail { server, mailbox in
            let provider = try await FakeProvider(server), thief = Browser(server), elsewhere = Browser(server)
            let account = try await server.newResident()
            let page = try await thief.linking(try await provider.logIn(thief, subject: "t"), as: account)
            let before = try await mailbox.waiting(), done = try await thief.submit(page)
            _ = try await provider.logIn(elsewhere, subject: "t")
            let all = try await mailbox.fetch(), mails = all.filter { $0.subject == Self.told }
            let cut = try #require(mails.first?.links("cut").first)
            let shown = try await server.get(cut), stands = try await links(server)

            let ended = try await press(cut, server), again = try await press(cut, server)

            #expect(before == 0 && done.place == "/account")
            #expect(Set(all.map(\.subject)) == [Self.told, Self.newBrowser] && all.count == 2)
            #expect(mails.map(\.to.text) == [account.email ?? ""])
            #expect(mails.first?.text.contains("New: The login of an institution") == true)
            #expect(shown.status == 200 && shown.body.contains("The login of an institution"))
            #expect(stands == 1, "looking changes nothing")
            #expect(ended.status == 200 && again.status == 404)
            #expect(try await links(server) == 0)
            for browser in [thief, elsewhere] { #expect(try await browser.open(.get, "/account").status == 303) }
            let back = try await provider.logIn(Browser(server), subject: "t")
            #expect(back.status == 200 && back.body.contains("You are new here"))
            #expect(try await mailbox.fetch().map(\.subject) == ["Set a new password"])
        }
    }

    @Test("so is a link that the provider's rule made, and an account that began with its institution is not")
    func found() async throws {
        try await TestServer.withMail { server, mailbox in
            let provider = try await FakeProvider(server, options: ["link_by": "email", "create": true])
            let account = try await server.newResident(), address = "\(account.username)@\(provider.id).example"
            try await server.database.execute(
                "update account set email = \(address), email_verified_at = \(server.time.now) where id = \(account.id)"
            )
            let claims: JSONObject = ["email": .string(address), "email_verified": true]
            let fresh: JSONObject = ["email": .string("new@\(provider.id).example"), "email_verified": true]

            _ = try await provider.logIn(Browser(server), subject: "f", claims)
            let first = try await mailbox.fetch()
            _ = try await provider.logIn(Browser(server), subject: "f", claims)
            _ = try await provider.logIn(Browser(server), subject: "n", fresh)
            let later = try await mailbox.fetch()

            #expect(first.map(\.subject) == [Self.told] && first.map(\.to.text) == [address])
            #expect(later.map(\.subject) == [Self.newBrowser], "of the one who came back")
            #expect(try await links(server) == 2)
        }
    }

    @Test("a link that was taken away is told of, and one that is gone already is not")
    func unlinked() async throws {
        try await TestServer.withMail { server, mailbox in
            let provider = try await FakeProvider(server), browser = Browser(server)
            let account = try await server.newResident()
            let page = try await browser.linking(try await provider.logIn(browser, subject: "u"), as: account)
            _ = try await browser.submit(page)
            _ = try await mailbox.fetch()
            let form = Browser.form(
                try await browser.open(.get, "/account"), action: "/account/institutions/remove")

            let first = try await browser.open(.post, "/account/institutions/remove", form: form.fields)
            let mails = try await mailbox.fetch()
            let second = try await browser.open(.post, "/account/institutions/remove", form: form.fields)

            #expect([first, second].map(\.place) == Array(repeating: "/account?done=institution-unlinked", count: 2))
            #expect(mails.map(\.subject) == [Self.gone])
            #expect(mails.first?.text.contains("Removed: The login of an institution") == true)
            #expect(try await mailbox.waiting() == 0)
        }
    }
}
