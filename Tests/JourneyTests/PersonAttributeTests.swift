import Accounts
import Base
import Federation
import Registration
import TestSupport
import Testing

@Suite("What institutions say of people: eduPerson, SCHAC and groups")
struct PersonAttributeTests {
    private func say(_ pairs: [(PersonAttribute, String)], of username: String, in server: TestServer) async throws {
        let accounts = AccountStore(clock: server.time.clock)
        let account = try #require(try await accounts.find(username, in: server.database))
        var attributes = account.attributes
        for (name, value) in pairs { try attributes.add(value, to: name) }
        _ = try await accounts.update(account.id, AccountChange(attributes: attributes), in: server.database)
    }

    private func client(_ claims: [String]?, in server: TestServer) async throws -> WebApp {
        let app = try await server.webApp()
        _ = try await server.database.execute("update client set claims = \(claims) where id = \(app.id)")
        return app
    }

    private static let said: [(PersonAttribute, String)] = [
        (.scopedAffiliation, "staff@example.org"), (.scopedAffiliation, "member@example.org"),
        (.homeOrganization, "example.org"), (.groups, "teachers@example.org"),
    ]

    @Test("a web client is told what the operator releases to it, one value as text and several as an array")
    func released() async throws {
        try await TestServer.with { server in
            try await say(Self.said, of: "ada", in: server)
            let app = try await client(
                ["email", "eduperson_scoped_affiliation", "schac_home_organization", "eduperson_orcid"], in: server)

            let tokens = try await app.logIn(Browser(server))

            let info = try await app.userInfo(tokens.accessToken).json
            #expect(info["eduperson_scoped_affiliation"] == ["staff@example.org", "member@example.org"])
            #expect(info["schac_home_organization"] == "example.org")
            #expect(info["groups"] == nil && info["eduperson_orcid"] == nil && info["name"] == nil)
            let told: [String] = try await server.database.value(
                "select claims from disclosure where client = \(app.id)")
            #expect(told == ["eduperson_scoped_affiliation", "email", "schac_home_organization"])
        }
    }

    @Test("a client without a policy of the operator's is told nothing of it, whatever it asks for")
    func unreleased() async throws {
        try await TestServer.with { server in
            try await say(Self.said, of: "ada", in: server)
            let app = try await server.webApp()
            let asked = #"{"userinfo":{"groups":{"essential":true},"eduperson_scoped_affiliation":null}}"#

            let place = try await Browser(server).signIn(AuthorizationDraft(app.id, changes: ["claims": asked]))
            let info = try await app.userInfo(try await app.redeem(place.answer["code"]).accessToken).json

            #expect(info["email"] == "ada@example.org")
            #expect(info["groups"] == nil && info["eduperson_scoped_affiliation"] == nil)
        }
    }

    @Test("what the operator releases later is told when the person has agreed to it, by tokens of before neither")
    func releasedLater() async throws {
        try await TestServer.with { server in
            try await say(Self.said, of: "ada", in: server)
            let app = try await client(["email"], in: server), browser = Browser(server)
            let draft = AuthorizationDraft(app.id, changes: ["claims": #"{"id_token":{"groups":null}}"#])
            let before = try await app.redeem(try await browser.signIn(draft).answer["code"])
            _ = try await server.database.execute(
                "update client set claims = \(["email", "groups"]) where id = \(app.id)")

            let refreshed = try await app.refresh(before.refreshToken)
            let info = try await app.userInfo(before.accessToken).json
            let after = try await app.redeem(try await browser.signIn(draft).answer["code"])

            #expect(info["email"] == "ada@example.org" && info["groups"] == nil)
            #expect(claims(of: try #require(refreshed["id_token"]))["groups"] == nil)
            #expect(try await app.userInfo(after.accessToken).json["groups"] == ["teachers@example.org"])
            #expect(claims(of: try #require(after["id_token"]))["groups"] == ["teachers@example.org"])
        }
    }

    @Test("the consent page shows each value with its name, and the name alone where nothing is said yet")
    func consent() async throws {
        try await TestServer.with { server in
            try await say(Self.said, of: "ada", in: server)
            let app = try await client(["groups", "eduperson_entitlement"], in: server), browser = Browser(server)
            _ = try await server.webApp("Other").logIn(browser)

            let page = try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page

            let body = page?.body ?? ""
            #expect(body.contains("More about you") && body.contains("Groups: teachers@example.org"))
            #expect(body.contains("Entitlement: –") && !body.contains("staff@example.org"))
        }
    }

    @Test("a service is told what its entry lists; an app what the operator names for it, and by default none of it")
    func services() async throws {
        try await TestServer.with { server in
            try await say(Self.said, of: "ada", in: server)
            _ = try await server.database.execute(
                "update service set claims = \(["email", "groups"]) where id = 'learn'")
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()

            let assertion = try claims(of: await phone.assertion(pat))
            let info = try await phone.get("/userinfo", token: pat.accessToken).json
            _ = try await AppStore(clock: server.time.clock).update(
                app: Residents.app, name: nil, claims: ["groups"], in: server.database)
            let named = try await phone.get("/userinfo", token: pat.accessToken).json

            #expect(assertion["groups"] == ["teachers@example.org"] && assertion["schac_home_organization"] == nil)
            #expect(assertion["email_verified"] == false)
            #expect(info["name"] == "Ada" && info["groups"] == nil)
            #expect(named["groups"] == ["teachers@example.org"] && named["name"] == nil)
        }
    }

    @Test("email_verified is true where the person showed that they read there, and not after the address was changed")
    func verified() async throws {
        try await TestServer.with { server in
            let accounts = AccountStore(clock: server.time.clock), app = try await server.webApp()
            let ada = try #require(try await accounts.find("ada", in: server.database))
            let tokens = try await app.logIn(Browser(server))
            func isVerified() async throws -> JSONValue? {
                try await app.userInfo(tokens.accessToken).json["email_verified"]
            }
            #expect(try await isVerified() == false)

            try await accounts.verify(ada.id, email: "ada@example.org", in: server.database)
            #expect(try await isVerified() == true)

            _ = try await accounts.update(ada.id, AccountChange(email: "new@example.org"), in: server.database)
            #expect(try await isVerified() == false)
        }
    }

    @Test("the metadata names each claim that may be told")
    func metadata() async throws {
        try await TestServer.with { server in
            let document = try await server.get("/.well-known/openid-configuration").json
            let named = Set(document["claims_supported"]?.strings ?? [])

            #expect(named.isSuperset(of: AttributeRelease.known + ["email_verified", "sub"]))
            #expect(AttributeRelease.known.contains("groups"))
        }
    }

    @Test(
        "a value that a name cannot have is refused",
        arguments: [
            (PersonAttribute.scopedAffiliation, "staff"), (.scopedAffiliation, "boss@example.org"),
            (.scopedAffiliation, "staff@Example.org"), (.scopedAffiliation, "staff@a@example.org"),
            (.principalName, "@example.org"), (.groups, "teachers"), (.groups, "teachers@example"),
            (.groups, "tea chers@example.org"), (.groups, "t\u{202E}@example.org"), (.affiliation, "boss"),
            (.entitlement, "none"), (.orcid, "0000-0002-1825-0097"), (.homeOrganization, "example org"),
            (.homeOrganization, "-example.org"), (.personalUniqueCode, "12345"), (.assurance, ""),
            (.entitlement, "urn:" + String(repeating: "x", count: 253)),
        ])
    func unfit(name: PersonAttribute, value: String) {
        var attributes = PersonAttributes()

        #expect(throws: PersonAttribute.Refused.self) { try attributes.add(value, to: name) }
        #expect(attributes == PersonAttributes())
    }

    @Test(
        "a value that a name can have is taken, once",
        arguments: [
            (PersonAttribute.scopedAffiliation, "library-walk-in@uni.example.org"),
            (.entitlement, "https://example.org/contract?x=1"), (.assurance, "https://refeds.org/assurance/IAP/high"),
            (.orcid, "https://orcid.org/0000-0002-1825-009X"),
            (.personalUniqueCode, "urn:schac:personalUniqueCode:int:1"),
            (.uniqueID, "28c5353b@example.org"), (.homeOrganization, "example.org"),
            (.groups, "Teachers-1@example.org"),
        ])
    func fit(name: PersonAttribute, value: String) throws {
        var attributes = PersonAttributes()
        try attributes.add(value, to: name)
        try attributes.add(value, to: name)

        #expect(attributes.json == [name.rawValue: [.string(value)]])
    }

    @Test("what has one value takes no second, and nothing takes more than 64")
    func bounds() throws {
        var attributes = PersonAttributes()
        try attributes.add("example.org", to: .homeOrganization)
        #expect(throws: PersonAttribute.Refused.self) { try attributes.add("example.com", to: .homeOrganization) }
        for number in 0..<64 { try attributes.add("g\(number)@example.org", to: .groups) }
        #expect(throws: PersonAttribute.Refused.self) { try attributes.add("one-more@example.org", to: .groups) }
    }
}
