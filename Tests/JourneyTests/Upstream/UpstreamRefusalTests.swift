import Base
import Foundation
import TestSupport
import Testing

/// Each check of an answer sees one that it refuses; `UpstreamLoginTests` has the same answer unspoilt.
@Suite("What an institution's provider answers is checked (OpenID Connect Core, 3.1.3.7; RFC 9207; RFC 9700)", .server)
struct UpstreamRefusalTests {
    /// One way in which an ID token is not as it must be.
    struct Spoilt: Sendable, CustomTestStringConvertible {
        let name: String
        let claims: @Sendable (Int) -> JSONObject
        var header: JSONObject = [:]

        var testDescription: String { name }
    }

    static let spoilt: [Spoilt] = [
        Spoilt(name: "another issuer") { _ in ["iss": "https://evil.example"] },
        Spoilt(name: "no issuer") { _ in ["iss": .null] },
        Spoilt(name: "for another client") { _ in ["aud": "another"] },
        Spoilt(name: "for two audiences, of which we trust one") { _ in ["aud": ["pando", "another"], "azp": "pando"] },
        Spoilt(name: "issued to another") { _ in ["azp": "another"] },
        Spoilt(name: "expired") { ["exp": .integer($0 - 120)] },
        Spoilt(name: "without an end") { _ in ["exp": .null] },
        Spoilt(name: "an end in a string") { ["exp": .string(String($0 + 300))] },
        Spoilt(name: "made long ago") { ["iat": .integer($0 - 3_600)] },
        Spoilt(name: "made in the future") { ["iat": .integer($0 + 3_600)] },
        Spoilt(name: "not valid yet") { ["nbf": .integer($0 + 3_600)] },
        Spoilt(name: "another nonce") { _ in ["nonce": "of-nobody"] },
        Spoilt(name: "no nonce") { _ in ["nonce": .null] },
        Spoilt(name: "no subject") { _ in ["sub": .null] },
        Spoilt(name: "an empty subject") { _ in ["sub": ""] },
        Spoilt(name: "another access token's hash") { _ in ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"] },
        Spoilt(name: "logged in in the future") { ["auth_time": .integer($0 + 3_600)] },
        Spoilt(name: "a logout token", claims: { _ in [:] }, header: ["typ": "logout+jwt"]),
        Spoilt(name: "signed by nothing", claims: { _ in [:] }, header: ["alg": "none"]),
        Spoilt(name: "by an algorithm that it does not offer", claims: { _ in [:] }, header: ["alg": "ES384"]),
        Spoilt(name: "by a shared secret", claims: { _ in [:] }, header: ["alg": "HS256"]),
        Spoilt(name: "by a key that nobody publishes", claims: { _ in [:] }, header: ["kid": "of-nobody"]),
    ]

    private func sessions(_ server: TestServer, _ provider: FakeProvider) async throws -> Int {
        try await server.database.value(
            "select count(*) as number from upstream_session s where s.provider = \(provider.id)")
    }

    @Test("an ID token that is not as it must be logs nobody in", arguments: spoilt)
    func idTokens(_ spoilt: Spoilt) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(server, options: ["create": true])
        let asked = try await provider.begin(browser)

        provider.prepare(asked, subject: "s", spoilt.claims(server.now), header: spoilt.header)
        let reply = try await provider.callback(browser, asked)
        let again = try await provider.callback(browser, asked)

        #expect(reply.status == 403 && reply.body.contains("could not be checked"))
        #expect(reply[header: "Cache-Control"] == "no-store" && !reply.body.contains("of-nobody"))
        #expect(again.status == 404, "an answer that was refused uses the login up")
        #expect(try await sessions(server, provider) == 0)
    }

    @Test("a signature by another key under the published name is refused")
    func forged() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(server, options: ["create": true])

        provider.forge(PhoneKey())
        let reply = try await provider.logIn(browser, subject: "s")

        #expect(reply.status == 403 && reply.body.contains("could not be checked"))
    }

    @Test("a state of another browser, an invented one and none are no login of this one")
    func states() async throws {
        let server = try TestServer.ofSuite, one = Browser(server), other = Browser(server)
        let provider = try await FakeProvider(server, options: ["create": true])
        let asked = try await provider.begin(one)
        _ = try await provider.begin(other)
        provider.prepare(asked, subject: "s")

        let foreign = try await provider.callback(other, asked)
        let invented = try await provider.callback(one, asked, ["state": String(repeating: "A", count: 43)])
        let none = try await provider.callback(one, asked, ["state": Optional<String>.none])
        let right = try await provider.callback(one, asked)
        let replayed = try await provider.callback(one, asked)

        #expect(foreign.status == 404 && invented.status == 404 && none.status == 400)
        #expect(right.status == 303 && replayed.status == 404)
    }

    @Test("an answer that names another issuer, or none where the provider always does, is refused")
    func issuers() async throws {
        let server = try TestServer.ofSuite
        let provider = try await FakeProvider(server, options: ["create": true])
        for changed in ["https://evil.example", nil] as [String?] {
            let browser = Browser(server), asked = try await provider.begin(browser)
            provider.prepare(asked, subject: "s")

            let reply = try await provider.callback(browser, asked, ["iss": changed])

            #expect(reply.status == 403 && reply.body.contains("could not be checked"))
        }
    }

    @Test("an answer at the address of another provider than the one that was asked is refused")
    func mixUp() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let honest = try await FakeProvider(server, options: ["create": true])
        let evil = try await FakeProvider(server, options: ["create": true])
        let asked = try await honest.begin(browser)
        honest.prepare(asked, subject: "s")

        let reply = try await evil.callback(browser, asked, ["iss": evil.issuer])

        #expect(reply.status == 403 && evil.forms.isEmpty && honest.forms.isEmpty, "the code went to nobody")
    }

    @Test("who says no there is not logged in here, and is told so")
    func declined() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), provider = try await FakeProvider(server)
        let asked = try await provider.begin(browser)

        let reply = try await provider.callback(
            browser, asked, ["code": Optional<String>.none, "error": "access_denied"])

        #expect(reply.status == 200 && reply.body.contains("did not log you in"))
        #expect(reply.body.contains("/login/institution?return_to=%2Faccount"))
    }

    @Test("a code is exchanged with the verifier of the browser that began, and with no other")
    func verifiers() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let provider = try await FakeProvider(server, options: ["create": true])
        let asked = try await provider.begin(browser)

        provider.prepare(asked.merging(["code_challenge": "another"]) { $1 }, subject: "s")
        let reply = try await provider.callback(browser, asked)

        #expect(reply.status == 403 && provider.forms.last?["code_verifier"]?.count == 43)
    }

    @Test(
        "metadata of another issuer, without TLS or without PKCE leads nobody there",
        arguments: [
            ["issuer": "https://evil.example"], ["authorization_endpoint": "http://idp.example/authorize"],
            ["token_endpoint": .null], ["jwks_uri": "javascript:alert(1)"],
            ["code_challenge_methods_supported": ["plain"]], ["id_token_signing_alg_values_supported": ["HS256"]],
        ] as [JSONObject])
    func metadata(_ changes: JSONObject) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), provider = try await FakeProvider(server)
        provider.change(metadata: changes)

        let reply = try await browser.open(.get, "/login/institution/\(provider.id)?return_to=/account")

        #expect(reply.status == 403 && reply[header: "Location"] == nil)
    }

    @Test("a provider that is closed, or that nobody knows, is not found")
    func closed() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), provider = try await FakeProvider(server)
        try await server.administer(["providers", "update"], ["provider": .string(provider.id), "enabled": false])

        let replies = [
            try await browser.open(.get, "/login/institution/\(provider.id)?return_to=/account"),
            try await browser.open(.get, "/login/institution/nobody?return_to=/account"),
            try await browser.open(.get, "/login/institution/%00..%2F?return_to=/account"),
        ]

        #expect(replies.map(\.status) == [404, 404, 404])
    }

    @Test("nobody is led away after the login")
    func returning() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), provider = try await FakeProvider(server)

        let reply = try await browser.open(
            .get, "/login/institution/\(provider.id)?return_to=https%3A%2F%2Fevil.example")

        #expect(reply.status == 400)
    }

    @Test("a database that is away is 503, and no refusal")
    func databaseAway() async throws {
        let server = try TestServer.ofSuite
        try await server.withoutDatabase { away in
            let begun = try await away.get("/login/institution/uni?return_to=/account")
            let logout = try await away.post("/upstream/uni/backchannel-logout", ["logout_token": "a.b.c"])

            #expect(begun.status == 503 && begun[header: "Retry-After"] != nil)
            #expect(logout.status == 503 && logout[header: "Retry-After"] != nil)
        }
    }
}
