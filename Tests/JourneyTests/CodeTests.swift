import Base
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7636 PKCE and the authorization code", .server)
struct CodeTests {
    private func newCode() async throws -> (Phone, String) {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        return (phone, try #require(try await phone.logInForCode()["authorization_code"]))
    }

    @Test("a code with its verifier and key becomes a personal access token")
    func redeemed() async throws {
        let (phone, code) = try await newCode()

        let reply = try await phone.redeem(code: code)

        #expect(
            reply.outcome == "200" && reply.json["token_type"] == "DPoP"
                && reply.json["expires_in"] == .integer(30 * 86_400))
        let token = claims(of: reply.accessToken)
        #expect(token["client_id"] == .string(phone.clientID) && token["auth_time"] == .integer(phone.server.now))
        #expect(token["sub"]?.string.flatMap { UUID(uuidString: $0) } != nil && token["sub"] != token["client_id"])
        #expect(token["cnf"]?["jkt"] == .string(phone.key.thumbprint))
    }

    @Test("a self-made JWT of the instance token proves the key as well")
    func selfMade() async throws {
        let (phone, code) = try await newCode()
        let jwt = try phone.selfMade(for: phone.instance.accessToken, audience: ServerParts.root + "/token")

        let reply = try await phone.server.post(
            "/token", ["grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier],
            headers: [.authorization: "Bearer \(jwt)"])

        #expect(reply.outcome == "200", "\(reply.body)")
    }

    @Test(
        "verifiers that do not fit",
        arguments: [
            (nil, "400 invalid_request"), ("", "400 invalid_request"),
            (String(Phone.verifier.dropLast()), "400 invalid_grant"), (Phone.challenge, "400 invalid_grant"),
            (String(repeating: "a", count: 129), "400 invalid_grant"), (Phone.verifier + "é", "400 invalid_grant"),
        ])
    func verifier(_ verifier: String?, _ outcome: String) async throws {
        let (phone, code) = try await newCode()

        let wrong = try await phone.redeem(code: code, verifier: verifier)

        #expect(wrong.outcome == outcome)
        #expect(try await phone.redeem(code: code).outcome == "200", "a wrong verifier does not use the code")
    }

    @Test("codes that are none", arguments: ["unknown", String(repeating: "A", count: 64), ""])
    func unknown(_ code: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        #expect(
            try await phone.redeem(code: code).outcome == (code.isEmpty ? "400 invalid_request" : "400 invalid_grant"))
    }

    @Test("the secret in the code counts, not only its node")
    func secret() async throws {
        let (phone, code) = try await newCode()
        var bytes = try #require(Base64URL.decode(code))
        bytes[47] ^= 1

        #expect(try await phone.redeem(code: Base64URL.encode(bytes)).outcome == "400 invalid_grant")
        #expect(try await phone.redeem(code: code).outcome == "200")
    }

    @Test("without a key, with another key and by another client it is refused, and stays good")
    func holder() async throws {
        let (phone, code) = try await newCode(), server = phone.server, thief = try await Phone.registered(in: server)
        func post(_ proof: String?, client: String? = nil) async throws -> Reply {
            try await server.post(
                "/token",
                [
                    "grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier,
                    "client_id": client,
                ],
                headers: proof.map { [.proof: $0] } ?? [:])
        }

        #expect(try await post(nil).outcome == "400 invalid_dpop_proof")
        #expect(try await post(thief.proof(.post, "/token", token: nil)).outcome == "400 invalid_grant")
        #expect(
            try await post(phone.proof(.post, "/token", token: nil), client: thief.clientID).outcome
                == "400 invalid_grant")
        #expect(try await post(phone.proof(.post, "/token", token: nil), client: phone.clientID).outcome == "200")
    }

    @Test("used twice, it ends what it gave, and not the instance")
    func twice() async throws {
        let (phone, code) = try await newCode(), pat = try await phone.redeem(code: code)
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")

        #expect(try await phone.redeem(code: code).outcome == "400 invalid_grant")

        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.refresh(pat.refreshToken).outcome == "400 invalid_grant")
        #expect(try await phone.logInForCode().outcome == "200")
    }

    // What the database settles is asked 200 times in TokenTreeTests (OneTimeTests), without ten thousand requests.
    @Test("of 50 that redeem one code at once exactly one gets a token: 20 rounds")
    func race() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        for round in 0..<20 {
            let code = try #require(try await phone.logInForCode()["authorization_code"])

            let replies = try await crowd(50) { _ in try await phone.redeem(code: code) }

            #expect(replies.count { $0.status == 200 } == 1, "round \(round)")
            #expect(Set(replies.filter { $0.status != 200 }.map(\.outcome)) == ["400 invalid_grant"], "round \(round)")
            let winner = try #require(replies.first { $0.status == 200 })
            #expect(
                try await phone.get("/userinfo", token: winner.accessToken).outcome == "401 invalid_token",
                "a code shown twice ends its token")
        }
    }

    @Test("a new login on an instance ends its earlier token")
    func newLogin() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        let first = try await phone.logIn(), second = try await phone.logIn()

        #expect(try await phone.get("/userinfo", token: first.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.get("/userinfo", token: second.accessToken).outcome == "200")
    }

    @Test("a code lives a minute, and dies with its instance")
    func dead() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            let late = try #require(try await phone.logInForCode()["authorization_code"])
            server.time.advance(60)
            #expect(try await phone.redeem(code: late).outcome == "400 invalid_grant")

            let orphan = try #require(try await phone.logInForCode()["authorization_code"])
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            #expect(try await phone.redeem(code: orphan).outcome == "400 invalid_grant")
        }
    }

    @Test("of two people who log in on one new instance at once, one gets it")
    func twoPeople() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        let codes = [
            try await phone.logInForCode(as: "ada")["authorization_code"] ?? "",
            try await phone.logInForCode(as: "bob")["authorization_code"] ?? "",
        ]

        let replies = try await crowd(2) { try await phone.redeem(code: codes[$0]) }

        #expect(replies.map(\.outcome).sorted() == ["200", "400 invalid_grant"])
    }

    @Test("of logins on one instance at once one token is left")
    func loginsAtOnce() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        var codes: [String] = []
        for _ in 0..<10 { codes.append(try #require(try await phone.logInForCode()["authorization_code"])) }
        let shown = codes

        let pats = try await crowd(10) { try await phone.redeem(code: shown[$0]) }
        let alive = try await crowd(10) { try await phone.get("/userinfo", token: pats[$0].accessToken).status == 200 }

        #expect(pats.allSatisfy { $0.outcome == "200" })
        #expect(alive.count { $0 } == 1)
    }
}
