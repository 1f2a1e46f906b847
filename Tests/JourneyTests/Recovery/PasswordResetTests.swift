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

@Suite("Forgotten passwords")
struct PasswordResetTests {
    private static let next = "quite another long phrase"

    private func ask(_ name: String, _ browser: Browser) async throws -> Reply {
        try await browser.submit(try await browser.open(.get, "/recover"), ["name": name])
    }

    private func set(_ link: String, _ browser: Browser, to new: String = next) async throws -> Reply {
        let page = try await browser.open(.get, link)
        try #require(page.status == 200, "link: \(page.status)")
        return try await Patience.whileBusy { try await browser.submit(page, ["new": new, "again": new]) }
    }

    /// The link that a person is mailed.
    private func link(_ name: String, _ server: TestServer, _ mailbox: Mailbox) async throws -> String {
        _ = try await ask(name, Browser(server))
        return try #require(try await mailbox.fetch().first?.links("password").first)
    }

    @Test("a link goes to the address, sets a password once, ends sessions, and logs nobody in")
    func whole() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), before = Browser(server), browser = Browser(server)
            try await before.logInWithPassword(as: account)

            let asked = try await ask(account.username.uppercased(), browser), mails = try await mailbox.fetch()
            let mail = try #require(mails.first), link = try #require(mail.links("password").first)
            let done = try await set(link, browser), again = try await browser.open(.get, link)

            #expect(asked.status == 200 && mails.count == 1 && mail.to.text == account.email)
            #expect(mail.subject == "Set a new password" && mail.html.contains(link))
            #expect(done.status == 200 && again.status == 404)
            #expect(try await before.open(.get, "/account").status == 303, "its session has ended")
            #expect(try await browser.open(.get, "/account").status == 303, "and nobody is logged in")
            let place = try await browser.goOn(
                try await browser.follow(try await browser.open(.get, "/account")), as: account.username,
                password: Self.next)
            #expect(place.page?.status == 200)
            let told = try await mailbox.fetch()
            #expect(Set(told.map(\.subject)) == ["Your password has been changed", "A login in a new browser"])
            let found = try await AccountStore(clock: server.time.clock).find(account.id, in: server.database)
            #expect(found?.emailVerifiedAt != nil, "who follows the link reads there")
        }
    }

    @Test("whoever is named, the answer is the same, and nothing is looked up before it")
    func untold() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident()
            let names = [account.username, "nobody-of-this-name", account.email ?? "", "nobody@example.org", "dan"]

            var pages: Set<String> = []
            for name in names { pages.insert(try await ask(name, Browser(server)).body) }

            #expect(pages.count == 1)
            #expect(try await mailbox.waiting() == names.count, "each is a row, whoever it means")
            let links = try await server.number("select count(*) from account_link")
            #expect(links == 0, "they are made by the worker")
            let sent = try await mailbox.fetch()
            #expect(
                sent.map(\.to.text) == [String](repeating: account.email ?? "", count: 2), "suspended people get none")
        }
    }

    @Test("who asks too often gets no more mail, and hears the same")
    func often() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), names = [account.username, account.email ?? ""]

            var statuses: Set<Int> = []
            for _ in 0..<5 {
                for name in names { statuses.insert(try await ask(name, Browser(server)).status) }
            }

            #expect(statuses == [200])
            #expect(try await mailbox.fetch().count <= 4, "counted by account, however it is named")
        }
    }

    enum End: CaseIterable { case expired, suspended, changed, bumped, deleted }

    @Test("what a link hangs from ends it", arguments: End.allCases)
    func ended(_ end: End) async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), link = try await link(account.username, server, mailbox)
            let browser = Browser(server), page = try await browser.open(.get, link)
            let name = account.id.uuidString.lowercased(), revocation = server.parts.revocation

            switch end {
            case .expired: server.time.advance(901)
            case .suspended:
                _ = try await AccountStore(clock: server.time.clock).setStatus(
                    account.id, .suspended, in: server.database)
                try await revocation.revoke(.virtual(Ancestor(.account, name)), by: .server)
            case .changed: try await revocation.revoke(.virtual(Ancestor(.password, name)), by: .server)
            case .bumped: try await revocation.revoke(.virtual(.epoch), by: .server)
            case .deleted: try await AccountStore(clock: server.time.clock).delete(account.id, in: server.database)
            }
            let done = try await Patience.whileBusy {
                try await browser.submit(page, ["new": Self.next, "again": Self.next])
            }

            #expect(page.status == 200 && done.status == 404)
            #expect(try await browser.open(.get, link).status == 404)
        }
    }

    @Test("a link that a scanner opens stays good, and one that nobody made is over")
    func scanned() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), link = try await link(account.username, server, mailbox)

            for _ in 0..<3 { #expect(try await server.get(link).status == 200) }
            let forged = try await Browser(server).open(
                .get, "/recover/password?link=\(String(repeating: "A", count: 43))")
            let other = try await Browser(server).open(.get, link.replacing("/password?", with: "/cut?"))
            let none = try await Browser(server).open(.get, "/recover/password")

            #expect([forged, other, none].allSatisfy { $0.status == 404 })
            #expect(try await set(link, Browser(server)).status == 200)
        }
    }

    @Test("a form without its token, from elsewhere, or twice at once sets one password at most")
    func races() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), link = try await link(account.username, server, mailbox)
            let browser = Browser(server), page = try await browser.open(.get, link)

            let bare = try await server.post("/recover/password", ["link": String(link.suffix(43)), "new": Self.next])
            let foreign = try await browser.submit(
                page, ["new": Self.next, "again": Self.next], headers: [.origin: "https://evil.example"])
            async let first = browser.submit(page, ["new": Self.next, "again": Self.next])
            async let second = browser.submit(page, ["new": Self.next, "again": Self.next])
            let statuses = try await [first.status, second.status].sorted()

            #expect(bare.status == 403 && foreign.status == 403)
            #expect(statuses == [200, 404])
        }
    }

    @Test("a password that will not do leaves the link good", arguments: ["short", "Password1234", "other"])
    func weak(_ new: String) async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), link = try await link(account.username, server, mailbox)
            let browser = Browser(server), page = try await browser.open(.get, link)

            let refused = try await browser.submit(page, ["new": new, "again": new == "other" ? Self.next : new])

            #expect(refused.status == 200 && refused.body.contains("role=\"alert\""))
            #expect(try await set(link, browser).status == 200)
        }
    }

    @Test("a mail server that is away is tried again, one that refuses is not; a row is sealed, and goes")
    func queue() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident()
            _ = try await ask(account.username, Browser(server))
            mailbox.answers(.later("libcurl 7"))
            #expect(try await mailbox.fetch().isEmpty)
            #expect(try await mailbox.waiting() == 1)
            let sealed: [UInt8] = try await server.database.value("select sealed from mail")
            #expect(!String(decoding: sealed, as: UTF8.self).contains("recover"))

            mailbox.answers(.sent)
            server.time.advance(60)
            #expect(try await mailbox.fetch().count == 1)
            #expect(try await mailbox.waiting() == 0)

            _ = try await ask(account.email ?? "", Browser(server))
            mailbox.answers(.refused("libcurl 55, the server answered 550"))
            #expect(try await mailbox.fetch().isEmpty)
            #expect(try await mailbox.waiting() == 0)
        }
    }

    @Test("without a mail server nobody can ask, and nothing is queued")
    func off() async throws {
        try await TestServer.with { server in
            #expect(try await server.get("/recover").status == 404)
            let login = try await Browser(server).open(.get, "/login")
            #expect(!login.body.contains("/recover"))
            #expect(try await server.get("/account/email").status == 404)
        }
    }

    @Test("without the database it is 503, never that a link is over")
    func away() async throws {
        try await TestServer.withMail { server, _ in
            try await server.withoutDatabase { away in
                let link = "/recover/password?link=\(String(repeating: "A", count: 43))"
                let reply = try await away.get(link)
                #expect(reply.status == 503)
            }
        }
    }

    @Test("an operator's link sets the first password, where mail is off too; a later one makes it worthless")
    func invited() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), recovery = server.parts.idp.web.recovery
            let first = try await server.database.atomically {
                try await recovery.invite(account, language: nil, in: $0)
            }
            let second = try await server.database.atomically {
                try await recovery.invite(account, language: nil, in: $0)
            }
            let browser = Browser(server), path = String(second.dropFirst(ServerParts.root.count))

            let old = try await browser.open(.get, String(first.dropFirst(ServerParts.root.count)))
            let page = try await browser.open(.get, path)
            let done = try await set(path, browser)

            #expect(old.status == 404 && page.body.contains("Welcome") && done.status == 200)
            let waiting = try await server.number("select count(*) from mail")
            #expect(waiting == 0)
        }
    }
}
