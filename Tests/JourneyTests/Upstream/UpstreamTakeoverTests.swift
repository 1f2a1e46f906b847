import Accounts
import Administration
import Base
import Foundation
import TestSupport
import Testing

/// Ways in which somebody at an institution could come to be somebody else here.
@Suite("Nobody takes over an account by an institution's provider", .server)
struct UpstreamTakeoverTests {
    private func number(of account: Account, _ server: TestServer) async throws -> Int {
        try await server.database.value(
            "select count(*) as number from upstream_link l where l.account = \(account.id)")
    }

    /// A resident with a verified address of the provider's domain, and what the provider says of whoever has it.
    private func resident(
        _ server: TestServer, _ provider: FakeProvider
    ) async throws -> (account: Account, said: JSONObject) {
        let account = try await server.newResident(), address = "\(account.username)@\(provider.id).example"
        try await server.database.execute(
            """
            update account set email = \(address), email_verified_at = \(server.time.now) where id = \(account.id)
            """)
        return (account, ["email": .string(address), "email_verified": true])
    }

    @Test("an account that has moved to another institution is let in no more by the provider of the one before")
    func moved() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server)
        let other = try await FakeProvider(server), account = try await server.newResident()
        try await server.link(account, to: provider, subject: "m")

        let before = try await provider.logIn(Browser(server), subject: "m")
        try await server.database.execute(
            "update account set institution = \(other.id) where id = \(account.id)")
        let browser = Browser(server), after = try await provider.logIn(browser, subject: "m")
        let page = try await browser.open(.get, "/account")

        #expect(before.status == 303 && after.status == 403 && page.status == 303)
        #expect(after.body.contains("belongs to another institution"))
    }

    @Test("an address that the institution gave to somebody else finds the account of who had it before no more")
    func givenOn() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let (account, said) = try await resident(server, provider)

        let first = try await provider.logIn(Browser(server), subject: "first", said)
        let second = try await provider.logIn(Browser(server), subject: "second", said)

        #expect(first.status == 303)
        #expect(second.status == 200 && second.body.contains("You are new here"))
        #expect(try await number(of: account, server) == 1)
    }

    @Test("an address with a letter whose small form is another's finds nobody, whatever the database folds")
    func kelvin() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let account = try await server.newResident(), rest = "im-\(account.username)@\(provider.id).example"
        try await server.database.execute(
            """
            update account set email = \("k" + rest), email_verified_at = \(server.time.now) where id = \(account.id)
            """)
        func said(_ letter: String) -> JSONObject { ["email": .string(letter + rest), "email_verified": true] }

        let other = try await provider.logIn(Browser(server), subject: "other", said("\u{212A}"))
        let own = try await provider.logIn(Browser(server), subject: "own", said("K"))

        #expect(other.status == 200 && other.body.contains("You are new here"))
        #expect(own.status == 303)
        #expect(try await number(of: account, server) == 1)
    }

    @Test("who has a role beyond the institution's is found by no address: they say themself that it is they")
    func roles() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["link_by": "email"])
        let (auditor, said) = try await resident(server, provider)
        let (local, saidOfLocal) = try await resident(server, provider)
        try await server.database.execute(
            """
            insert into role_grant (account, role, institution, granted_at, granted_by)
            values (\(auditor.id), 'auditor', null, \(server.time.now), 'test'),
                (\(local.id), 'institution-administrator', \(provider.id), \(server.time.now), 'test')
            """)

        let refused = try await provider.logIn(Browser(server), subject: "r1", said)
        let found = try await provider.logIn(Browser(server), subject: "r2", saidOfLocal)

        #expect(refused.status == 200 && refused.body.contains("You are new here"))
        #expect(found.status == 303)
        #expect(try await [number(of: auditor, server), number(of: local, server)] == [0, 1])
    }

    @Test(
        "who was sent to an institution by another's page is not linked by coming back; nobody else says yes for them")
    func sentThere() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)
        let account = try await server.newResident()
        try await browser.logInWithPassword(as: account)

        let sent = try await browser.open(.get, "/account/institutions/add?provider=\(provider.id)")
        let asked = Browser.Place.outside(sent[header: "Location"] ?? "").answer
        provider.prepare(asked, subject: "attacker")
        let question = try #require(try await browser.follow(try await provider.callback(browser, asked)).page)
        let form = Browser.form(question).fields
        let bare = try await browser.open(
            .post, "/account/institutions/link", form: form.filter { $0.0 != "form_token" })
        let stranger = try await server.newResident()
        let again = try await browser.follow(try await browser.open(.get, "/login?return_to=/account&again=1"))
        _ = try await browser.goOn(again, as: stranger.username)
        let another = try await browser.open(
            .get, "/account/institutions/link?attempt=\(form.first { $0.0 == "attempt" }?.1 ?? "")")

        #expect(question.body.contains("Is this you?") && bare.status == 403)
        #expect(another.status == 404 && !another.body.contains("Is this you?"))
        #expect(try await number(of: account, server) == 0)
    }

    @Test("an institution at whose provider people log in is not deleted: a conflict, and nothing is gone")
    func institution() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server)

        let failure = await #expect(throws: AdminFailure.self) {
            try await server.administer(["institutions", "delete"], ["institution": .string(provider.id)])
        }
        let there: Int = try await server.database.value(
            "select count(*) as number from upstream_provider p where p.id = \(provider.id)")

        #expect(failure?.code == .conflict && there == 1)
    }

    @Test("one client at one issuer is one provider, however it is said")
    func clients() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), second = provider.id + "-2"
        try await server.administer(
            ["providers", "add"],
            [
                "issuer": .string(provider.issuer), "institution": .string(provider.id), "client_id": "second",
                "id": .string(second), "auth": "private_key_jwt",
            ])

        let failure = await #expect(throws: AdminFailure.self) {
            try await server.administer(
                ["providers", "update"], ["provider": .string(second), "client_id": "pando"])
        }

        #expect(failure?.code == .conflict)
    }
}
