import Accounts
import Base
import Foundation
import TestSupport
import Testing

@Suite("Whose account somebody is who comes from an institution", .server)
struct UpstreamLinkTests {
    private func linked(_ server: TestServer, _ provider: FakeProvider) async throws -> [String] {
        try await server.database.query(
            """
            select a.username from upstream_link l join account a on a.id = l.account
            where l.provider = \(provider.id) order by l.linked_at
            """
        ).map { try $0("username") }
    }

    /// A resident with an address of the provider's domain.
    private func resident(
        _ server: TestServer, _ provider: FakeProvider, verified: Bool = true, institution: String? = nil
    ) async throws -> Account {
        let account = try await server.newResident(), time = verified ? server.time.now : nil
        let address = "\(account.username)@\(provider.id).example"
        try await server.database.execute(
            """
            update account set email = \(address), email_verified_at = \(time),
                institution = \(institution) where id = \(account.id)
            """)
        return account
    }

    private func mail(_ account: Account, _ provider: FakeProvider, verified: Bool = true) -> JSONObject {
        ["email": .string("\(account.username)@\(provider.id).example"), "email_verified": .bool(verified)]
    }

    @Test("a verified address of the institution's domain finds its account, where the provider's rule says so")
    func byAddress() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let account = try await resident(server, provider)

        let reply = try await provider.logIn(Browser(server), subject: "e", mail(account, provider))

        #expect(reply.status == 303)
        #expect(try await linked(server, provider) == [account.username])
    }

    @Test("an address that the provider has not verified finds nobody")
    func unverified() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let account = try await resident(server, provider)

        let reply = try await provider.logIn(Browser(server), subject: "e", mail(account, provider, verified: false))

        #expect(reply.status == 200 && reply.body.contains("You are new here"))
        #expect(try await linked(server, provider) == [])
    }

    @Test("an address that nobody has shown to read here finds nobody, unless an operator put it into the institution")
    func unverifiedHere() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let stranger = try await resident(server, provider, verified: false)
        let own = try await resident(server, provider, verified: false, institution: provider.id)

        _ = try await provider.logIn(Browser(server), subject: "e1", mail(stranger, provider))
        _ = try await provider.logIn(Browser(server), subject: "e2", mail(own, provider))

        #expect(try await linked(server, provider) == [own.username])
    }

    @Test("an account of another institution is never linked: by no address, and not by its own person")
    func foreign() async throws {
        let server = try TestServer.ofSuite
        let other = try await FakeProvider(server)
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let account = try await resident(server, provider, institution: other.id), browser = Browser(server)

        let unknown = try await provider.logIn(browser, subject: "e", mail(account, provider))
        let page = try await browser.linking(unknown, as: account)
        let refused = try await browser.submit(page)

        #expect(unknown.status == 200 && refused.status == 403)
        #expect(refused.body.contains("belongs to another institution"))
        #expect(try await linked(server, provider) == [])
    }

    @Test("an address of a domain that is not the institution's finds nobody")
    func otherDomain() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let account = try await server.newResident()
        try await server.database.execute(
            "update account set email_verified_at = \(server.time.now) where id = \(account.id)")

        let reply = try await provider.logIn(
            Browser(server), subject: "e",
            ["email": .string(account.email ?? ""), "email_verified": true])

        #expect(reply.status == 200 && reply.body.contains("You are new here"))
    }

    @Test("a principal name finds its account, where the rule says so, and only in the institution's domain")
    func byPrincipalName() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "eppn"])
        let account = try await server.newResident(), name = "\(account.username)@\(provider.id).example"
        try await server.database.execute(
            """
            update account set attributes = jsonb_build_object('eduperson_principal_name', jsonb_build_array(\(name)))
            where id = \(account.id)
            """)

        let other = try await provider.logIn(
            Browser(server), subject: "p0",
            ["eduperson_principal_name": .string("\(account.username)@elsewhere.example")])
        let right = try await provider.logIn(
            Browser(server), subject: "p1", ["eduperson_principal_name": .string(name)])

        #expect(other.status == 200 && right.status == 303)
        #expect(try await linked(server, provider) == [account.username])
    }

    @Test("who is not known logs in with the password once, says that it is they, and needs no password from then on")
    func byPassword() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)
        let account = try await server.newResident()

        let unknown = try await provider.logIn(browser, subject: "l", ["name": "Lea"])
        let page = try await browser.linking(unknown, as: account)
        let done = try await browser.submit(page)
        let next = try await provider.logIn(Browser(server), subject: "l", ["name": "Lea"])

        #expect(unknown.body.contains("You are new here") && unknown.body.contains("Lea"))
        #expect(page.body.contains("Is this you?") && page.body.contains(account.username))
        #expect(done.place == "/account" && next.place == "/account")
        #expect(try await linked(server, provider) == [account.username])
    }

    @Test("what waits to be linked is this browser's, and is used once")
    func once() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)
        let account = try await server.newResident(), thief = Browser(server)
        let page = try await browser.linking(try await provider.logIn(browser, subject: "o"), as: account)
        let attempt = Browser.form(page).fields.first { $0.0 == "attempt" }?.1 ?? ""
        try await thief.logInWithPassword(as: try await server.newResident())

        let stolen = try await thief.open(.get, "/account/institutions/link?attempt=\(attempt)")
        let first = try await browser.submit(page), second = try await browser.submit(page)

        #expect(stolen.status == 404 && first.status == 303 && second.status == 404)
    }

    @Test("from the account page: linked there, listed, unlinked; whoever came in by it elsewhere is logged out")
    func account() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)
        let account = try await server.newResident(), elsewhere = Browser(server)
        try await browser.logInWithPassword(as: account)

        let sent = try await browser.open(.get, "/account/institutions/add?provider=\(provider.id)")
        let asked = Browser.Place.outside(sent[header: "Location"] ?? "").answer
        provider.prepare(asked, subject: "a")
        let back = try await provider.callback(browser, asked), before = try await linked(server, provider)
        let question = try #require(try await browser.follow(back).page)
        let done = try await browser.submit(question)
        _ = try await provider.logIn(elsewhere, subject: "a")
        let listed = try await browser.open(.get, "/account")
        let there = try await elsewhere.open(.get, "/account")
        let form = Browser.form(listed, action: "/account/institutions/remove")
        let removed = try await browser.open(.post, "/account/institutions/remove", form: form.fields)
        let after = [try await browser.open(.get, "/account"), try await elsewhere.open(.get, "/account")]

        #expect(before == [], "any page can send people there: it is they who say that it is they")
        #expect(question.body.contains("Is this you?") && question.body.contains("href=\"/account\""))
        #expect(done.place == "/account?done=institution-linked")
        #expect(listed.body.contains("University \(provider.id)") && there.status == 200)
        #expect(removed.place == "/account?done=institution-unlinked")
        #expect(after.map(\.status) == [200, 303], "one goes on, the other came in by what is gone")
        #expect(try await linked(server, provider) == [])
    }

    @Test("who is somebody's already is not linked to another")
    func taken() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)
        try await server.link(try await server.newResident(), to: provider, subject: "t")
        try await browser.logInWithPassword(as: try await server.newResident())

        let sent = try await browser.open(.get, "/account/institutions/add?provider=\(provider.id)")
        let asked = Browser.Place.outside(sent[header: "Location"] ?? "").answer
        provider.prepare(asked, subject: "t")
        let back = try await provider.callback(browser, asked)
        let reply = try await browser.submit(try #require(try await browser.follow(back).page))

        #expect(reply.status == 403 && reply.body.contains("linked to another account already"))
    }

    @Test("the only way into an account that was made for it stays")
    func kept() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(server, options: ["create": true])
        _ = try await provider.logIn(browser, subject: "k", ["preferred_username": .string("kay-\(provider.id)")])
        let page = try await browser.open(.get, "/account")

        let form = Browser.form(page, action: "/account/institutions/remove")
        let reply = try await browser.open(.post, "/account/institutions/remove", form: form.fields)

        #expect(reply.place == "/account?done=institution-kept")
        #expect(try await linked(server, provider).count == 1)
    }

    @Test("an account that may not log in is let in by no institution")
    func suspended() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server)
        let account = try await server.newResident()
        try await server.link(account, to: provider, subject: "s")
        _ = try await AccountStore(clock: server.time.clock).setStatus(account.id, .suspended, in: server.database)

        let reply = try await provider.logIn(Browser(server), subject: "s")

        #expect(reply.status == 403 && reply.body.contains("may not log in"))
    }
}

extension Browser {
    /// From the page for somebody who is not known, by the password, to the page that asks whether it is they.
    func linking(_ unknown: Reply, as account: Account) async throws -> Reply {
        let path = unknown.body.firstMatch(of: #/href="(\/login\?return_to=[^"]*attempt[^"]*)"/#).map { String($0.1) }
        let login = try await open(.get, try #require(path, "\(unknown.body)"))
        let place = try await follow(
            try await Patience.whileBusy {
                try await self.submit(login, ["username": account.username, "password": Residents.password])
            })
        return try #require(place.page)
    }
}
