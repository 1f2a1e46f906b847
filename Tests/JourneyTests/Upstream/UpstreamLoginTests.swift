import Accounts
import Base
import Foundation
import TestSupport
import Testing

@Suite("Login at an institution's own provider (OpenID Connect Core, 3.1)", .server)
struct UpstreamLoginTests {
    private static let mfa = "https://refeds.org/profile/mfa"

    @Test("the request has PKCE, a nonce and a state of this browser, and goes by the provider's address")
    func request() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server), browser = Browser(server)

        let asked = try await provider.begin(browser)

        #expect(asked["response_type"] == "code" && asked["client_id"] == "pando")
        #expect(asked["code_challenge_method"] == "S256" && asked["code_challenge"]?.count == 43)
        #expect(asked["redirect_uri"] == "\(ServerParts.root)/login/institution/\(provider.id)/callback")
        #expect(asked["nonce"]?.count == 43 && asked["state"]?.count == 43 && asked["nonce"] != asked["state"])
        #expect(asked["scope"] == "openid profile email" && asked["prompt"] == nil && asked["max_age"] == nil)
    }

    @Test("somebody new gets an account of the institution, with what it says of them, and the same one next time")
    func creates() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["create": true])
        let claims: JSONObject = [
            "preferred_username": .string("eva-\(provider.id)"), "name": "Eva E", "email_verified": true,
            "email": .string("eva@\(provider.id).example"), "eduperson_affiliation": ["staff", "member"],
            "eduperson_scoped_affiliation": [.string("staff@\(provider.id).example"), "staff@elsewhere.example"],
        ]

        let first = try await provider.logIn(Browser(server), subject: "s1", claims)
        let again = try await provider.logIn(
            Browser(server), subject: "s1", claims.with(["eduperson_affiliation": ["member"]]))
        let found = try await AccountStore(clock: server.time.clock).find(
            "eva-\(provider.id)", in: server.database)
        let account = try #require(found)
        let row = try await server.database.query(
            "select a.institution from account a where a.id = \(account.id)")

        #expect(first.status == 303 && first[header: "Location"] == "\(ServerParts.root)/account")
        #expect(again.status == 303 && again[header: "Location"] == "\(ServerParts.root)/account")
        #expect(try row.first?("institution", as: String.self) == provider.id)
        #expect(account.email == "eva@\(provider.id).example" && account.emailVerifiedAt != nil)
        #expect(account.name == "Eva E")
        #expect(account.attributes.json["eduperson_affiliation"] == ["member"])
        #expect(
            account.attributes.json["eduperson_scoped_affiliation"]
                == [.string("staff@\(provider.id).example")], "nobody speaks for another institution")
    }

    @Test("what an operator wrote stays, whatever the provider says")
    func operatorsWord() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["create": true]), name = "olga-\(provider.id)"
        _ = try await provider.logIn(
            Browser(server), subject: "o", ["preferred_username": .string(name), "name": "Olga"])
        let accounts = AccountStore(clock: server.time.clock)
        let account = try #require(try await accounts.find(name, in: server.database))
        _ = try await accounts.update(account.id, AccountChange(name: "Dr. Olga"), in: server.database)

        _ = try await provider.logIn(
            Browser(server), subject: "o", ["preferred_username": .string(name), "name": "Olga II"])

        #expect(try await accounts.find(name, in: server.database)?.name == "Dr. Olga")
    }

    @Test("a name that somebody has already gets a number")
    func collision() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["create": true])

        let reply = try await provider.logIn(Browser(server), subject: "a", ["preferred_username": "ada"])
        let names = try await server.database.query(
            """
            select a.username from upstream_link l join account a on a.id = l.account
            where l.provider = \(provider.id)
            """
        ).map { try $0("username", as: String.self) }

        #expect(reply.status == 303 && names.count == 1 && names[0].wholeMatch(of: #/ada-\d/#) != nil)
    }

    @Test("acr, amr and auth_time of the provider stand in our ID tokens, by its table of levels")
    func context() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let provider = try await FakeProvider(
            server, options: ["create": true, "level": ["urn:strong=mfa"]])
        let place = try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path))
        let page = try #require(place.page)
        let reference = try #require(Browser.form(page).fields.first { $0.0 == "request" }?.1)

        let back = try await provider.logIn(
            browser, subject: "c",
            ["acr": "urn:strong", "amr": ["pwd", "otp", "invented"], "auth_time": .integer(server.now - 3_000)],
            query: "request=\(reference)")
        let answer = try await browser.goOn(try await browser.follow(back)).answer
        let token = claims(of: try await app.redeem(answer["code"])["id_token"] ?? "")

        #expect(page.body.contains("/login/institution?request=\(reference)"))
        #expect(token["acr"] == .string(Self.mfa) && token["amr"] == ["mfa", "otp", "pwd"])
        #expect(token["auth_time"]?.integer == server.now - 3_000)
    }

    @Test("prompt, max_age and acr_values are asked of the provider, in its own words")
    func wishes() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let provider = try await FakeProvider(server, options: ["level": ["urn:strong=mfa"]])
        var draft = AuthorizationDraft(app.id)
        (draft.parameters).append(("acr_values", Self.mfa))
        draft.set("prompt", "login")
        let page = try #require(try await browser.follow(try await browser.open(.get, draft.path)).page)
        let reference = try #require(Browser.form(page).fields.first { $0.0 == "request" }?.1)

        let asked = try await provider.begin(browser, "request=\(reference)")
        provider.prepare(asked, subject: "w", ["auth_time": .integer(server.now - 600)])
        let stale = try await provider.callback(browser, asked)

        #expect(asked["prompt"] == "login" && asked["max_age"] == "0" && asked["acr_values"] == "urn:strong")
        #expect(stale.status == 200 && stale.body.contains("did not ask you to log in again"))
    }

    @Test("a factor that the account asks for is shown here, whatever the provider has seen")
    func factor() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let provider = try await FakeProvider(server), browser = Browser(server)
        try await server.link(account, to: provider, subject: "f")
        _ = try await server.passkey(of: account)

        let back = try await provider.logIn(browser, subject: "f", ["acr": .string(Self.mfa), "amr": ["mfa"]])
        let page = try await browser.open(.get, "/account")

        #expect(back.status == 303)
        #expect(page.status == 303 && page.place == "/login/passkey?return_to=%2Faccount")
    }

    @Test("a pushed request goes to a provider that offers it, and the browser carries its name alone")
    func pushed() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(server)
        provider.change(metadata: ["pushed_authorization_request_endpoint": .string("\(provider.issuer)/par")])

        let asked = try await provider.begin(browser)

        #expect(Set(asked.keys) == ["client_id", "request_uri"] && asked["request_uri"] == "urn:one")
        #expect(provider.forms.first?["code_challenge_method"] == "S256")
    }

    @Test("a key of ours in place of a secret: the provider is shown an assertion of ours")
    func assertion() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(
            server, options: ["auth": "private_key_jwt", "client_secret": .null, "create": true])

        _ = try await provider.logIn(browser, subject: "k", ["preferred_username": "kim"])
        let form = try #require(provider.forms.last), shown = claims(of: form["client_assertion"] ?? "")

        #expect(form["client_id"] == "pando" && form["client_secret"] == nil)
        #expect(shown["iss"] == "pando" && shown["sub"] == "pando" && shown["aud"] == .string(provider.issuer))
    }

    @Test("userinfo tells what is not in the ID token; of somebody else it is refused")
    func userInfo() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["create": true, "userinfo": true])
        provider.change(metadata: ["userinfo_endpoint": .string("\(provider.issuer)/userinfo")])
        let name = "uma-\(provider.id)"

        provider.answer(userInfo: ["sub": "another"])
        let refused = try await provider.logIn(Browser(server), subject: "u")
        provider.answer(userInfo: ["sub": "u", "preferred_username": .string(name), "name": "Uma"])
        let done = try await provider.logIn(Browser(server), subject: "u")
        // The same to Swift, and somebody else at the provider.
        provider.answer(userInfo: ["sub": "jose\u{301}"])
        let alike = try await provider.logIn(Browser(server), subject: "jos\u{E9}")
        let account = try await AccountStore(clock: server.time.clock).find(name, in: server.database)

        #expect(refused.status == 403 && done.status == 303 && account?.name == "Uma")
        #expect(alike.status == 403)
    }

    @Test("a provider that does not answer is 503 with Retry-After, and nobody's fault")
    func away() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), provider = try await FakeProvider(server)
        let asked = try await provider.begin(browser)
        provider.prepare(asked, subject: "x")

        provider.goAway()
        let reply = try await provider.callback(browser, asked)

        #expect(reply.status == 503 && reply[header: "Retry-After"] == "30")
        #expect(reply.body.contains("does not answer"))
    }
}

extension TestServer {
    /// As if they had linked it themselves.
    func link(_ account: Account, to provider: FakeProvider, subject: String) async throws {
        try await database.execute(
            """
            insert into upstream_link (provider, subject, account, made_account, told, linked_at)
            values (\(provider.id), \(subject), \(account.id), false, '{}', \(time.now))
            """)
    }
}
