import Administration
import Base
import Federation
import Foundation
import TestSupport
import Testing

@Suite("services update")
struct ServicesUpdateTests {
    private static let base = "https://far.example.org"
    private static let moved = "https://near.example.org/place"

    private func enter(_ server: TestServer, base: String = base) async throws -> String {
        let made = try await server.object("services add", ["base": .string(base), "name": "Far"])
        let id = try #require(made["id"]?.string)
        _ = try await server.object("services approve", ["service": .string(id)])
        return id
    }

    private func update(_ server: TestServer, _ id: String, _ changes: JSONObject) async throws -> JSONObject {
        var arguments = changes
        arguments["service"] = .string(id)
        return try await server.object("services update", arguments)
    }

    private func refusal(_ server: TestServer, _ id: String, _ changes: JSONObject) async throws -> AdminFailure.Code? {
        var arguments = changes
        arguments["service"] = .string(id)
        return try await server.refusal("services update", arguments)
    }

    @Test(
        "a service that moves keeps its names of people, its policy and who used it; tokens are for the new place"
    )
    func move() async throws {
        try await TestServer.with { server in
            let id = try await enter(server), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn()
            let before = claims(of: try await phone.assertion(pat, for: Self.base))
            _ = try await server.object(
                "services policy", ["service": .string(id), "words": ["deny", "org.example.bad"]])

            let result = try await update(server, id, ["base": .string(Self.moved)])

            let after = claims(of: try await phone.assertion(pat, for: Self.moved))
            #expect(result["base"] == .string(Self.moved) && result["token_endpoint"] == .string(Self.moved + "/token"))
            #expect(result["changed"]?.strings == ["base", "events_endpoint", "token_endpoint"])
            #expect(before["sub"] == after["sub"] && after["sub"] != nil)
            #expect(after["aud"] == .string(Self.moved + "/token"))
            #expect(try await phone.askAssertion(pat, for: Self.base).status >= 400)
            #expect(
                try await server.object("services policy", ["service": .string(id)])["deny"] == ["org.example.bad"])
            #expect(
                try await server.database.value("select count(*) from service_usage where service = \(id)") == 1)
            let isDue: Bool = try await server.database.value(
                "select next_try <= \(server.time.now) from service_document where service = \(id)")
            #expect(isDue)
        }
    }

    @Test(
        "who approves a service is told when apps will not see it; one that was not read yet is none",
        arguments: [
            ([], []), (["org.ietf.oauth2", "org.example.a"], []),
            (["org.example.a"], ["apps will not see this: its document does not list org.ietf.oauth2"]),
        ] as [([String], [String])])
    func approved(_ protocols: [String], _ warnings: [String]) async throws {
        try await TestServer.with { server in
            let made = try await server.object("services add", ["base": .string(Self.base), "name": "Far"])
            let id = try #require(made["id"]?.string), document: JSONValue = ["apis": [:]]
            if !protocols.isEmpty {
                try await server.database.batch(
                    ServiceListing.put(document, protocols: protocols, of: id, at: server.time.now))
            }

            let approved = try await server.object("services approve", ["service": .string(id)])
            let again = try await server.object("services approve", ["service": .string(id)])

            #expect(approved["status"] == "active")
            #expect(approved["warnings"]?.strings == warnings && again["warnings"]?.strings == warnings)
        }
    }

    @Test("contact, endpoints, document and lifetime; a dry run changes nothing")
    func facts() async throws {
        try await TestServer.with { server in
            let id = try await enter(server), machine = server.residents.machine
            let basic = WebApp(server: server, id: machine.id, secret: machine.secret).basic
            var changes: JSONObject = [
                "contact": "mailto:ops@far.example.org", "token_lifetime": 300, "rsd": "https://far.example.org/rsd",
                "token_endpoint": "https://far.example.org/oauth/token",
                "events_endpoint": "https://events.example.org/far",
            ]
            var dry = changes
            dry["dry_run"] = true
            let before = try await server.object("services show", ["service": .string(id)])
            let told = try await update(server, id, dry)
            #expect(try await server.object("services show", ["service": .string(id)]) == before)

            let result = try await update(server, id, changes)

            #expect(told["changed"] == result["changed"] && told["dry_run"] == true)
            #expect(result["changed"]?.strings == changes.names.sorted())
            for name in changes.names { #expect(result[name] == changes[name], "\(name)") }
            let token = try await server.post(
                "/token", ["grant_type": "client_credentials", "resource": Self.base], headers: basic)
            #expect(token.json["expires_in"] == 300)
            changes = ["contact": "", "rsd": "", "token_lifetime": 0]
            let none = try await update(server, id, changes)
            #expect(none["contact"] == .null && none["rsd"] == .null && none["token_lifetime"] == .null)
        }
    }

    @Test("the lifetime for a service holds for people's tokens, and when these are refreshed")
    func refreshed() async throws {
        try await TestServer.with { server in
            let id = try await enter(server), app = try await server.webApp()
            _ = try await update(server, id, ["token_lifetime": 120])
            var draft = AuthorizationDraft(app.id)
            draft.set("resource", Self.base)
            let place = try await Browser(server).signIn(draft)

            let tokens = try await app.redeem(place.answer["code"], resource: Self.base)
            let again = try await app.refresh(tokens.refreshToken, resource: Self.base)

            #expect(tokens.outcome == "200" && tokens.json["expires_in"] == 120)
            #expect(again.outcome == "200" && again.json["expires_in"] == 120)
        }
    }

    @Test("another way to authenticate: keys for a secret, and a secret again")
    func keys() async throws {
        try await TestServer.with { server in
            let id = try await enter(server), key = PhoneKey()

            let keyed = try await update(
                server, id, ["auth_method": "private_key_jwt", "jwks": ["keys": [key.jwk(kid: "a")]]])
            let back = try await update(server, id, ["auth_method": "client_secret_basic"])

            #expect(keyed["auth_method"] == "private_key_jwt" && keyed["client_secret"] == nil)
            #expect(keyed["changed"]?.strings?.contains("jwks") == true)
            #expect(back["auth_method"] == "client_secret_basic" && back["client_secret"]?.string != nil)
        }
    }

    @Test(
        "what cannot be is refused",
        arguments: [
            ("base", .string(Residents.quietBase), AdminFailure.Code.conflict),
            ("base", "http://far.example.org", .invalid), ("base", "https://far.example.org/?a=b", .invalid),
            ("base", "http://127.0.0.1:1", .invalid), ("base", "far", .invalid),
            ("token_endpoint", "https://elsewhere.example.org/token", .invalid),
            ("events_endpoint", "http://far.example.org/events", .invalid), ("rsd", "x", .invalid),
            ("contact", "a\u{202E}b", .invalid), ("token_lifetime", 59, .invalid),
            ("token_lifetime", 86_401, .invalid), ("auth_method", "none", .usage), ("name", "", .invalid),
        ] as [(String, JSONValue, AdminFailure.Code)])
    func refused(_ member: String, _ value: JSONValue, _ code: AdminFailure.Code) async throws {
        try await TestServer.with { server in
            let id = try await enter(server)
            let before = try await server.object("services show", ["service": .string(id)])

            #expect(try await refusal(server, id, [member: value]) == code)
            #expect(try await server.object("services show", ["service": .string(id)]) == before)
        }
    }

    @Test("a service of this very server is where this server is")
    func builtIn() async throws {
        try await TestServer.with { server in
            let refused = try await refusal(server, "learn", ["base": .string(Self.base)])
            let renamed = try await update(server, "learn", ["name": "Learning"])

            #expect(refused == .conflict && renamed["name"] == "Learning")
        }
    }

    @Test("who comes to the place of a removed service inherits nothing")
    func freed() async throws {
        try await TestServer.with { server in
            let old = try await enter(server), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn()
            let before = claims(of: try await phone.assertion(pat, for: Self.base))
            _ = try await server.object(
                "services policy", ["service": .string(old), "words": ["default", "closed"]])
            _ = try await update(server, old, ["contact": "old", "token_lifetime": 300])
            let machine = server.residents.machine
            let token = try await server.post(
                "/token", ["grant_type": "client_credentials", "resource": Self.base],
                headers: WebApp(server: server, id: machine.id, secret: machine.secret).basic)
            _ = try await server.object("services remove", ["service": .string(old)])

            let new = try await enter(server)

            let shown = try await server.object("services show", ["service": .string(new)])
            #expect(new != old && shown["contact"] == .null && shown["token_lifetime"] == .null)
            #expect(try await server.object("services policy", ["service": .string(new)])["default"] == "open")
            let count: Int = try await server.database.value(
                """
                select (select count(*) from service_usage where service = \(new))
                    + (select count(*) from reach where service = \(new))
                    + (select count(*) from outbox where service = \(new))
                """)
            #expect(count == 0)
            let why = try await server.object("tokens why", ["token": .string(token.accessToken)])
            #expect(why["live"] == false)
            let after = claims(of: try await phone.assertion(pat, for: Self.base))
            #expect(after["sub"] != before["sub"] && after["sub"] != nil)
        }
    }
}
