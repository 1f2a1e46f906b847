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

@Suite("Who reads somebody's mail, or has been in their account")
struct MailboxThiefTests {
    private func press(_ link: String, _ server: TestServer) async throws -> Reply {
        let browser = Browser(server), page = try await browser.open(.get, link)
        guard page.status == 200 else { return page }
        return try await Patience.whileBusy { try await browser.submit(page) }
    }

    private func email(_ account: Account, _ server: TestServer) async throws -> String? {
        try await AccountStore(clock: server.time.clock).find(account.id, in: server.database)?.email
    }

    private func moveAddress(_ account: Account, to email: String, _ server: TestServer) async throws {
        let accounts = AccountStore(clock: server.time.clock)
        try await server.database.atomically { transaction in
            let before = try #require(try await accounts.find(account.id, in: transaction))
            _ = try await accounts.update(account.id, AccountChange(email: email), in: transaction)
            try await server.parts.idp.web.recovery.notices.addressChanged(
                of: before, from: before.email, to: email, in: transaction)
        }
    }

    /// Asks for a link to an address in a browser of the account's person.
    private func verify(_ email: String, _ browser: Browser) async throws {
        let asked = try await browser.submit(try await browser.open(.get, "/account/email"), ["email": email])
        try #require(asked.status == 200)
    }

    @Test("the link that takes the last factor which the account asks for shuts the account, and gives no password")
    func lastFactor() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(requires: .any)
            let identity = try await server.enrollPhone(of: account)
            try await server.parts.idp.web.recovery.factorAdded("tiqr", id: identity.name, to: account)
            let link = try #require(try await mailbox.fetch().first?.links("cut").first)

            let done = try await press(link, server)
            let left = try await AccountStore(clock: server.time.clock).find(account.id, in: server.database)

            #expect(done.status == 200 && done.body.contains("The account is closed"))
            #expect(left?.status == .suspended)
            #expect(try await mailbox.fetch().isEmpty, "no link for a new password")
        }
    }

    @Test("one of two factors goes, and the account stays open")
    func oneOfTwo() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(requires: .any)
            let identity = try await server.enrollPhone(of: account)
            _ = try await server.enrollPhone(of: account)
            try await server.parts.idp.web.recovery.factorAdded("tiqr", id: identity.name, to: account)
            let link = try #require(try await mailbox.fetch().first?.links("cut").first)

            let done = try await press(link, server)
            let left = try await AccountStore(clock: server.time.clock).find(account.id, in: server.database)

            #expect(done.status == 200 && left?.status == .active)
            #expect(try await mailbox.fetch().map(\.subject) == ["Set a new password"])
        }
    }

    @Test("links that were mailed are over when the account has another address", arguments: ["reset", "invite"])
    func oldMailbox(_ kind: String) async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), browser = Browser(server)
            if kind == "reset" {
                _ = try await browser.submit(try await browser.open(.get, "/recover"), ["name": account.username])
            } else {
                _ = try await server.database.atomically {
                    try await server.parts.idp.web.recovery.invite(account, language: nil, in: $0)
                }
            }
            let link = try #require(try await mailbox.fetch().first?.links("password").first)
            let page = try await browser.open(.get, link)

            try await moveAddress(account, to: "other-\(account.username)@example.net", server)
            let done = try await Patience.whileBusy {
                try await browser.submit(
                    page, ["new": "quite another long phrase", "again": "quite another long phrase"])
            }

            #expect(page.status == 200 && done.status == 404)
            #expect(try await browser.open(.get, link).status == 404)
        }
    }

    @Test("an address that was taken back stays so: links to the thief's do nothing any more, and what they added goes")
    func takenBack() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), own = try #require(account.email)
            try await moveAddress(account, to: "thief@example.net", server)
            server.time.advance(1)
            let identity = try await server.enrollPhone(of: account)
            let moved = try #require(
                try await AccountStore(clock: server.time.clock).find(account.id, in: server.database))
            try await server.parts.idp.web.recovery.factorAdded("tiqr", id: identity.name, to: moved)
            try await moveAddress(account, to: "thief@example.com", server)
            let mails = try await mailbox.fetch()
            let mine = try #require(mails.first { $0.to.text == own }?.links("cut").first)
            let theirs = mails.filter { $0.to.text == "thief@example.net" }.flatMap { $0.links("cut") }

            let back = try await press(mine, server)

            #expect(back.status == 200 && theirs.count == 2)
            for link in theirs { #expect(try await press(link, server).status == 404) }
            #expect(try await email(account, server) == own)
            let left = try await server.number(
                "select count(*) from tiqr_identity where identity = \(identity.name)")
            #expect(left == 0)
            let told = try await server.number(
                "select count(*) from audit where action = 'account.cut' and detail::text like '%@%'")
            #expect(told == 0, "addresses are not kept in the audit trail")
        }
    }

    @Test("a link to another address ends with the session that asked for it, and with the password")
    func thrownOut() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account)
            let thief = Browser(server), name = account.id.uuidString.lowercased()
            try await thief.logInWithPhone(identity)
            try await verify("thief@example.net", thief)
            let first = try #require(try await mailbox.fetch().first?.links("address").first)
            try await server.parts.revocation.revoke(.virtual(Ancestor(.password, name)), by: .server)
            #expect(try await press(first, server).status == 404)

            try await verify("thief@example.net", thief)
            let second = try #require(try await mailbox.fetch().first?.links("address").first)
            #expect(try await server.get(second).status == 200)
            let sessions: [String] = try await server.database.query(
                "select id from browser_session where account = \(account.id)"
            ).map { try $0("id") }
            for session in sessions {
                try await server.parts.revocation.revoke(.virtual(Ancestor(.session, session)), by: .server)
            }
            #expect(try await press(second, server).status == 404)
            #expect(try await email(account, server) == account.email)
        }
    }

    @Test("several accounts send no more mail to one address than one does")
    func bombing() async throws {
        try await TestServer.withMail { server, mailbox in
            var last = 0
            for _ in 0..<2 {
                let account = try await server.newResident(), browser = Browser(server)
                try await browser.logInWithPassword(as: account)
                for _ in 0..<4 {
                    let page = try await browser.open(.get, "/account/email")
                    last = try await browser.submit(page, ["email": "Victim@example.net"]).status
                }
            }
            #expect(last == 429)
            #expect(try await mailbox.fetch().count <= 6)
        }
    }

    @Test("however much strangers ask for, people are told what happened")
    func flooded() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident()
            let now = server.time.clock.now(), later = now.addingTimeInterval(3_600)
            try await server.database.execute(
                """
                insert into mail (id, sealed, created_at, expires_at, next_try)
                select gen_random_uuid(), '', \(now), \(later), \(later) from generate_series(1, 10000)
                """)
            let browser = Browser(server), page = try await browser.open(.get, "/recover")
            let asked = try await browser.submit(page, ["name": account.username])
            #expect(asked.status == 200)
            #expect(try await mailbox.waiting() == 10_000, "no more of strangers")

            try await server.database.atomically {
                try await server.parts.idp.web.recovery.notices.passwordChanged(of: account, in: $0)
            }
            #expect(try await mailbox.fetch().map(\.subject) == ["Your password has been changed"])
        }
    }

    @Test("new recovery codes are told of, and the link takes them away")
    func codes() async throws {
        try await TestServer.withMail { server, mailbox in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account)
            let browser = Browser(server)
            try await browser.logInWithPhone(identity)
            let made = try await browser.submit(try await browser.open(.get, "/account/recovery"))
            let mail = try #require(try await mailbox.fetch().first), link = try #require(mail.links("cut").first)

            let done = try await press(link, server)

            #expect(made.body.contains("<code>") && mail.text.contains("Recovery codes") && done.status == 200)
            let left = try await server.number("select count(*) from recovery_code where account = \(account.id)")
            #expect(left == 0)
        }
    }
}
