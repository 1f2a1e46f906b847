import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("RFC 9449, 8 and 9: nonces of the server")
struct ServerNonceTests {
    /// The phone with its personal access token, in a server that may demand a nonce of every proof.
    private func logIn(_ server: TestServer) async throws -> (Phone, token: String) {
        let phone = try await Phone.registered(in: server),
            nonce: JSONObject = ["nonce": .string(server.parts.nonces.current)]
        let challenge = try await server.post(
            "/authorize/challenge",
            [
                "username": "ada", "password": Residents.password, "code_challenge": Phone.challenge,
                "code_challenge_method": "S256",
            ],
            headers: phone.dpop(.post, "/authorize/challenge", token: phone.instance.accessToken, changes: nonce))
        let reply = try await redeem(try #require(challenge["authorization_code"], "\(challenge.body)"), phone, nonce)
        try #require(reply.outcome == "200", "\(reply.body)")
        return (phone, reply.accessToken)
    }

    private func redeem(_ code: String, _ phone: Phone, _ changes: JSONObject = [:]) async throws -> Reply {
        try await phone.server.post(
            "/token", ["grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier],
            headers: phone.dpop(.post, "/token", changes: changes))
    }

    private func get(_ phone: Phone, _ token: String, nonce: JSONValue? = nil, jti: String? = nil) async throws -> Reply
    {
        var changes: JSONObject = [:]
        changes["nonce"] = nonce
        changes["jti"] = jti.map(JSONValue.string)
        return try await phone.server.get(
            "/userinfo", headers: phone.dpop(.get, "/userinfo", token: token, changes: changes))
    }

    /// A refusal that tells how to do better.
    private func expectAsked(_ reply: Reply, _ status: Int, _ server: TestServer) {
        #expect(reply.outcome == "\(status) use_dpop_nonce", "\(reply.body)")
        #expect(
            reply[header: "DPoP-Nonce"] == server.parts.nonces.current && reply[header: "Cache-Control"] == "no-store")
        let challenges = reply.headers[values: .wwwAuthenticate]
        #expect(
            status == 401
                ? challenges.contains { $0.hasPrefix("DPoP algs=") && $0.contains("error=\"use_dpop_nonce\"") }
                : challenges.isEmpty)
    }

    @Test(
        """
        a proof without a nonce is taken, and answered with one that is good for the next; a request without proof \
        gets none
        """
    )
    func accepted() async throws {
        try await TestServer.with { server in
            let (phone, token) = try await logIn(server)

            let first = try await get(phone, token)
            let nonce = try #require(first[header: "DPoP-Nonce"])

            #expect(
                first.outcome == "200" && Base64URL.decode(nonce)?.count == 32
                    && first[header: "Cache-Control"] == "no-store")
            #expect(try await get(phone, token, nonce: .string(nonce)).outcome == "200")
            #expect(try await server.get("/jwks.json")[header: "DPoP-Nonce"] == nil)
            #expect(try await server.get("/userinfo")[header: "DPoP-Nonce"] == nil)
        }
    }

    @Test("a nonce is good for its five minutes and the next five")
    func times() async throws {
        try await TestServer.with { server in
            let (phone, token) = try await logIn(server), nonce = server.parts.nonces.current

            server.time.advance(299)
            #expect(server.parts.nonces.current == nonce)
            server.time.advance(1)
            #expect(server.parts.nonces.current != nonce)
            #expect(try await get(phone, token, nonce: .string(nonce)).outcome == "200")
            server.time.advance(299)
            #expect(try await get(phone, token, nonce: .string(nonce)).outcome == "200")
            server.time.advance(1)
            expectAsked(try await get(phone, token, nonce: .string(nonce)), 401, server)
        }
    }

    @Test(
        "a nonce that is not of this server is refused, also where none is needed",
        arguments: ServerNonce.Demand.allCases)
    func foreign(demand: ServerNonce.Demand) async throws {
        try await TestServer.with(options: TestServerOptions(nonces: demand)) { server in
            let (phone, token) = try await logIn(server), right = server.parts.nonces.current
            let other = ServerNonce(key: Randomness.system.secret(), demand: demand, clock: server.time.clock).current

            for wrong in [
                .string(other), .string(""), .string(right + "="), .string(String(right.dropLast())), .integer(1),
                .bool(true), .null, [.string(right)],
            ] as [JSONValue] {
                // The wire has a null here, which `with` would leave out.
                let claims: JSONObject = [
                    "htm": "GET", "htu": .string(ServerParts.root + "/userinfo"), "iat": .integer(server.now),
                    "jti": .string(UUID().uuidString),
                    "ath": .string(Base64URL.encode(Digest.sha256(token))), "nonce": wrong,
                ]
                let proof = try phone.key.sign(claims, header: ["typ": "dpop+jwt", "jwk": phone.key.jwk])

                expectAsked(
                    try await server.get("/userinfo", headers: [.authorization: "DPoP \(token)", .proof: proof]), 401,
                    server)
            }
        }
    }

    @Test(
        """
        where one is required, a proof without it is 401 at a resource and 400 at a token endpoint,
            and nothing is used up
        """
    )
    func required() async throws {
        try await TestServer.with(options: TestServerOptions(nonces: .required)) { server in
            let (phone, token) = try await logIn(server),
                right: JSONObject = ["nonce": .string(server.parts.nonces.current)]

            expectAsked(try await get(phone, token), 401, server)
            #expect(try await get(phone, token, nonce: right["nonce"]).outcome == "200")

            let code =
                try await server.post(
                    "/authorize/challenge",
                    [
                        "username": "ada", "password": Residents.password, "code_challenge": Phone.challenge,
                        "code_challenge_method": "S256",
                    ],
                    headers: phone.dpop(
                        .post, "/authorize/challenge", token: phone.instance.accessToken, changes: right))[
                    "authorization_code"] ?? ""
            expectAsked(try await redeem(code, phone), 400, server)
            #expect(try await redeem(code, phone, right).outcome == "200")
        }
    }

    @Test("a built-in service asks for it too")
    func service() async throws {
        try await TestServer.with(options: TestServerOptions(nonces: .required)) { server in
            let phone = try await Phone.registered(in: server)
            let headers = try phone.dpop(.post, "/services/learn/token")

            let reply = try await server.post(
                "/services/learn/token", ["grant_type": "refresh_token", "refresh_token": "x"], headers: headers)

            expectAsked(reply, 400, server)
        }
    }

    @Test("a proof with a nonce works once; one that lacked the nonce has not used its jti up")
    func once() async throws {
        try await TestServer.with(options: TestServerOptions(nonces: .required)) { server in
            let (phone, token) = try await logIn(server), nonce = JSONValue.string(server.parts.nonces.current),
                jti = UUID().uuidString

            expectAsked(try await get(phone, token, jti: jti), 401, server)
            let headers = try phone.dpop(
                .get, "/userinfo", token: token, changes: ["nonce": nonce, "jti": .string(jti)])
            #expect(try await server.get("/userinfo", headers: headers).outcome == "200")

            for (seconds, why) in [(0.0, "used before"), (60, "used before"), (1, "iat"), (239, "iat")] {
                server.time.advance(seconds)
                let again = try await server.get("/userinfo", headers: headers)
                #expect(
                    again.outcome == "401 invalid_dpop_proof" && again["error_description"]?.contains(why) == true,
                    "\(again.body)")
            }
        }
    }

    @Test("every other fault of a proof comes first")
    func order() async throws {
        try await TestServer.with(options: TestServerOptions(nonces: .required)) { server in
            let (phone, token) = try await logIn(server)

            let reply = try await server.get(
                "/userinfo", headers: phone.dpop(.get, "/userinfo", token: token, changes: ["htm": "POST"]))

            #expect(
                reply.outcome == "401 invalid_dpop_proof" && reply[header: "DPoP-Nonce"] == server.parts.nonces.current)
        }
    }

    @Test("processes of one server take one another's nonces")
    func replicas() async throws {
        try await TestServer.with { server in
            let (phone, token) = try await logIn(server), nonce = server.parts.nonces.current

            try await server.withReplica { other in
                let reply = try await other.get(
                    "/userinfo",
                    headers: phone.dpop(.get, "/userinfo", token: token, changes: ["nonce": .string(nonce)]))

                #expect(reply.outcome == "200")
            }
        }
    }

    @Test("scripts of other pages may read the nonce where they may read the answer, which no cache keeps")
    func exposed() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)

            let reply = try await server.get("/jwks.json", headers: phone.dpop(.get, "/jwks.json"))

            #expect(
                reply[header: "Access-Control-Expose-Headers"]?.contains("DPoP-Nonce") == true
                    && reply[header: "DPoP-Nonce"] != nil)
            #expect(reply[header: "Cache-Control"] == "no-store")
            #expect(try await server.get("/jwks.json")[header: "Access-Control-Expose-Headers"] == nil)
        }
    }
}
