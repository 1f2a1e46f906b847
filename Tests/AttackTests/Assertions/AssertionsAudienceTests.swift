import Base
import Foundation
import TestSupport
import Testing

/// What a client may be allowed besides the issuer, for libraries that know no better: the endpoint that it asks.
@Suite("Client assertions that name the endpoint, for clients that are allowed to (group 38)", .server)
struct AssertionsAudienceTests {
    private static let issuer = ServerParts.root, token = issuer + "/token"

    private static let accepted: [JSONValue] = [
        .string(issuer), [.string(issuer)], .string(token), [.string(token)], [.string(issuer), .string(token)],
        [.string(token), .string(issuer)],
    ]

    @Test(
        "with assertion_audience endpoint aud is the issuer, the token endpoint, or a list of these",
        arguments: accepted.indices)
    func taken(_ index: Int) async throws {
        let forge = try await AssertionsForge.ready(in: try .ofSuite, audience: .endpoint)

        let reply = try await forge.send(try forge.jwt(["aud": AssertionsAudienceTests.accepted[index]]))

        #expect(reply.outcome == "200", "\(reply.body)")
    }

    private static let refused: [JSONValue] = [
        "https://other.example.org", [.string(issuer), "https://other.example.org"],
        [.string(token), "https://other.example.org"], ["https://other.example.org/token", .string(token)],
        [.string(token), .string(ServerParts.tokenEndpoint)], .string(ServerParts.tokenEndpoint),
        .string(issuer + "/par"), [.string(token), .string(issuer + "/introspect")], .string(token + "/"),
        .string(token + "?"), .string(token.uppercased()), [.string(token), .string(token)], [.string(token), 5],
        [[.string(token)]], [], "", .null,
    ]

    @Test("and nothing of another server's, nor another endpoint than the one asked", arguments: refused.indices)
    func others(_ index: Int) async throws {
        let forge = try await AssertionsForge.ready(in: try .ofSuite, audience: .endpoint), jti = UUID().uuidString

        let changes: JSONObject = ["aud": AssertionsAudienceTests.refused[index]]
        try await forge.expectRefused(jti, try forge.jwt(changes.naming(jti)))
    }

    @Test(
        "at every other endpoint its own URL does, or the token endpoint's",
        arguments: ["/par", "/introspect", "/revoke", "/device_authorization"], [true, false])
    func elsewhere(_ path: String, _ isOwn: Bool) async throws {
        let forge = try await AssertionsForge.ready(in: try .ofSuite, audience: .endpoint)
        func ask(_ audience: String) async throws -> Reply {
            try await forge.server.post(
                path,
                [
                    "token": "x", "client_id": forge.id, "client_assertion": try forge.jwt(["aud": .string(audience)]),
                    "client_assertion_type": AssertionsForge.type,
                ])
        }

        let reply = try await ask(ServerParts.root + (isOwn ? path : "/token"))
        let wrong = try await ask(ServerParts.root + (path == "/par" ? "/revoke" : "/par"))

        #expect(reply.json["error"] != "invalid_client" && reply.status != 401, "\(reply.body)")
        #expect(wrong.outcome == "401 invalid_client", "\(wrong.body)")
    }

    @Test("who is refused for aud is told of the setting, once the signature is known to be theirs; nobody else is")
    func told() async throws {
        let forge = try await AssertionsForge.ready(), stranger = try await AssertionsForge.ready()
        let audience: JSONObject = ["aud": .string(AssertionsAudienceTests.token)]

        let mine = try await forge.send(try forge.jwt(audience))
        let forged = try await forge.send(try forge.jwt(audience, by: stranger.key))

        #expect(mine.outcome == "401 invalid_client")
        #expect(mine["error_description"]?.contains("assertion_audience") == true, "\(mine.body)")
        #expect(forged.outcome == "401 invalid_client")
        #expect(forged["error_description"]?.contains("aud") == false, "\(forged.body)")
    }

    @Test("iat may be left out, and the assertion still works once")
    func withoutIssueTime() async throws {
        let forge = try await AssertionsForge.ready(), assertion = try forge.jwt(["iat": .null])

        #expect(try await forge.send(assertion).outcome == "200")
        #expect(try await forge.send(assertion).outcome == "401 invalid_client")
        let late = try forge.jwt(["iat": .null, "exp": .integer(forge.server.now + 661)])
        #expect(try await forge.send(late).outcome == "401 invalid_client")
    }

    @Test("a client that registers itself may say which, and change it")
    func registered() async throws {
        let server = try TestServer.ofSuite, forge = try await AssertionsForge.ready()
        let made = try await OperationsFixture.register(server, document(forge))
        let id = made.clientID, token = made["registration_access_token"] ?? ""
        func ask(_ id: String) async throws -> String {
            let claims: JSONObject = [
                "iss": .string(id), "sub": .string(id), "aud": .string(AssertionsAudienceTests.token),
            ]
            return try await forge.send(try forge.jwt(claims)).outcome
        }

        #expect(made.outcome == "201", "\(made.body)")
        #expect(try await ask(id) == "401 invalid_client")
        for (audience, outcome, told) in [
            ("endpoint", "200", "endpoint" as JSONValue?), ("issuer", "401 invalid_client", nil),
        ] {
            var body = document(forge)
            (body["client_id"], body["assertion_audience"]) = (.string(id), .string(audience))
            let reply = try await server.send(
                .put, "/register/\(id)",
                headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
                body: JSONValue.object(body).bytes)
            #expect(reply.outcome == "200" && reply.json["assertion_audience"] == told, "\(reply.body)")
            #expect(try await ask(id) == outcome)
        }
    }

    private func document(_ forge: AssertionsForge) -> JSONObject {
        [
            "client_name": "named", "grant_types": ["client_credentials"],
            "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [forge.jwk]],
        ]
    }
}
