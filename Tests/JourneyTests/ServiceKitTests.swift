import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7523, 2.1: a service redeems assertions", .server)
struct ServiceKitTests {
    @Test("an assertion becomes a service token bound to the instance's key, for the token endpoint alone")
    func redeemed() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        let reply = try await phone.joinService()

        #expect(reply.json["token_type"] == "DPoP" && reply.json["expires_in"] == 86_400 && !reply.refreshToken.isEmpty)
        let token = claims(of: reply.accessToken)
        #expect(token["iss"] == .string(ServerParts.base) && token["aud"] == .string(ServerParts.base))
        #expect(token["scope"] == .string(ServerParts.tokenEndpoint) && token["client_id"] == .string(phone.clientID))
        #expect(token["cnf"]?["jkt"] == .string(phone.key.thumbprint))
    }

    @Test("a service token opens no protocol path")
    func scope() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService()

        #expect(
            try await phone.get("/services/learn/attributes", token: service.accessToken).outcome
                == "403 insufficient_scope")
    }

    @Test("shown twice, an assertion is refused and what came of it ends")
    func twice() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite),
            assertion = try await phone.assertion(phone.logIn())
        let service = try await phone.redeem(assertion: assertion)
        #expect(try await phone.authorizeApp(service).outcome == "200")

        let second = try await phone.redeem(assertion: assertion)

        #expect(second.outcome == "400 invalid_grant" && second["error_description"]?.contains("used before") == true)
        #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        #expect(
            try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome == "400 invalid_grant")
    }

    // What the database settles is asked 200 times in TokenTreeTests (OneTimeTests), without ten thousand requests.
    @Test("of 50 that redeem one assertion at once exactly one gets a token: 20 rounds")
    func race() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        for round in 0..<20 {
            let assertion = try await phone.assertion(pat)

            let replies = try await crowd(50) { _ in try await phone.redeem(assertion: assertion) }

            #expect(replies.count { $0.status == 200 } == 1, "round \(round)")
            #expect(Set(replies.filter { $0.status != 200 }.map(\.outcome)) == ["400 invalid_grant"], "round \(round)")
            let winner = try #require(replies.first { $0.status == 200 })
            #expect(
                try await phone.authorizeApp(winner).outcome == "401 invalid_token",
                "an assertion shown twice ends its token")
        }
    }

    @Test(
        "what is no assertion for this service is refused",
        arguments: ["text", "access token", "other service", "forged", "changed", "other issuer"])
    func refused(_ what: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            real = try await phone.assertion(pat)
        let parts = real.split(separator: ".").map(String.init)
        let changed = claims(of: real).with(["sub": "somebody"])
        let (text, why) =
            switch what {
            case "text": ("abc", "not a JWT")
            case "access token": (pat.accessToken, "typ must be")
            case "other service": (try await phone.assertion(pat, for: Residents.quietBase), "another service")
            case "forged": (try phone.key.sign(claims(of: real), header: ["typ": "oauth-id-jag+jwt"]), "signature")
            case "changed":
                ("\(parts[0]).\(Base64URL.encode(JSONValue.object(changed).bytes)).\(parts[2])", "signature")
            default:
                (
                    try phone.key.sign(
                        claims(of: real).with(["iss": "https://other.example.org"]), header: ["typ": "oauth-id-jag+jwt"]
                    ), "not from"
                )
            }

        let reply = try await phone.redeem(assertion: text)

        #expect(reply.outcome == "400 invalid_grant")
        #expect(reply["error_description"]?.contains(why) == true, "\(reply.body)")
    }

    @Test(
        "an assertion that has not begun, or whose key is not understood, is refused, whoever signed it",
        arguments: [
            (["nbf": 1_800_000_061], "nbf"), (["nbf": "now"], "nbf"), (["cnf": [:]], "names no key"),
            (["cnf": ["jku": "https://keys.example.org/a"]], "cnf.jku"),
            (["cnf": .null], "cnf.jwk"),
        ] as [(JSONObject, String)])
    func notYet(_ changes: JSONObject, _ why: String) async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            real = try await phone.assertion(phone.logIn())
        func signed(_ changes: JSONObject) async throws -> String {
            try await server.parts.keys.sign(type: "oauth-id-jag+jwt", claims: claims(of: real).with(changes))
        }

        let reply = try await phone.redeem(assertion: signed(changes))

        #expect(
            reply.outcome == "400 invalid_grant" && reply["error_description"]?.contains(why) == true, "\(reply.body)")
        #expect(try await phone.redeem(assertion: signed(["nbf": 1_800_000_060])).outcome == "200")
    }

    @Test("an assertion lives five minutes, and a minute of grace for clocks")
    func expired() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let late = try await phone.assertion(pat), tooLate = try await phone.assertion(pat)

            server.time.advance(359)
            #expect(try await phone.redeem(assertion: late).outcome == "200")
            server.time.advance(1)
            #expect(try await phone.redeem(assertion: tooLate)["error_description"]?.contains("expired") == true)
        }
    }

    @Test("what was revoked before it was redeemed, and told, is refused")
    func revokedBefore() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), assertion = try await phone.assertion(phone.logIn())

            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            try await server.sendEvents()
            let reply = try await phone.redeem(assertion: assertion)

            #expect(reply.outcome == "400 invalid_grant" && reply["error_description"]?.contains("revoked") == true)
        }
    }

    @Test("a proof is not needed; one by another key than the assertion's is refused and uses nothing")
    func proof() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            assertion = try await phone.assertion(phone.logIn())
        let path = "/services/learn/token"
        func post(by key: PhoneKey) async throws -> Reply {
            try await server.post(
                path, ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion],
                headers: [.proof: phone.proof(.post, path, token: nil, by: key)])
        }

        #expect(try await post(by: PhoneKey()).outcome == "400 invalid_dpop_proof")
        #expect(try await post(by: phone.key).outcome == "200")
    }

    @Test("while the issuer's keys cannot be read it says try again")
    func keysAway() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), assertion = try await phone.assertion(phone.logIn())

            server.wire.breakFetches(true)
            let reply = try await phone.redeem(assertion: assertion)
            server.wire.breakFetches(false)
            server.time.advance(5)

            #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] == "2")
            #expect(try await phone.redeem(assertion: assertion).outcome == "200")
        }
    }

    @Test(
        "grants that are not a service's, or nobody's",
        arguments: [
            ("/services/learn/token", "client_credentials"),
            ("/services/learn/token", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("/services/learn/token", "password"),
            ("/token", "password"), ("/token", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("/token", "implicit"),
        ])
    func grants(_ path: String, _ grant: String) async throws {
        #expect(try await TestServer.ofSuite.post(path, ["grant_type": grant]).outcome == "400 unsupported_grant_type")
    }
}
