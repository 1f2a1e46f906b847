import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 6749, 2.3 and 4.4: machines", .server)
struct ClientTests {
    private func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
    }

    private func ask(
        _ headers: HTTPFields = [:], scope: String? = nil, resource: String? = nil, id: String? = nil,
        secret: String? = nil
    ) async throws -> Reply {
        try await TestServer.ofSuite.post(
            "/token",
            [
                "grant_type": "client_credentials", "scope": scope, "resource": resource, "client_id": id,
                "client_secret": secret,
            ],
            headers: headers)
    }

    @Test("client_secret_basic gets a bearer token with the registered scope, but for the words that need a person")
    func granted() async throws {
        let server = try TestServer.ofSuite, (id, secret) = server.residents.machine

        let reply = try await ask(basic(id, secret))

        #expect(
            reply.outcome == "200" && reply["token_type"] == "Bearer" && reply["scope"] == "read write"
                && reply.json["expires_in"] == 3_600)
        #expect(reply.json["refresh_token"] == nil)
        #expect(
            claims(of: reply.accessToken)["sub"] == .string(id)
                && claims(of: reply.accessToken)["aud"] == .string(ServerParts.root))
        #expect(try await ask(basic(id, secret), scope: "write").json["scope"] == "write")
        #expect(
            try await server.get("/userinfo", headers: [.authorization: "Bearer \(reply.accessToken)"]).outcome
                == "403 insufficient_scope")
    }

    @Test("a resource becomes the audience; one that is no active service is refused (RFC 8707)")
    func resource() async throws {
        let (id, secret) = try TestServer.ofSuite.residents.machine

        #expect(
            claims(of: try await ask(basic(id, secret), resource: ServerParts.base + "/").accessToken)["aud"]
                == .string(ServerParts.base))
        #expect(
            claims(of: try await ask(basic(id, secret), resource: ServerParts.root).accessToken)["aud"]
                == .string(ServerParts.root))
        #expect(
            try await ask(basic(id, secret), resource: "https://unknown.example.org").outcome == "400 invalid_target")
    }

    @Test("what does not authenticate a machine, told in one way")
    func refused() async throws {
        let residents = try TestServer.ofSuite.residents, (id, secret) = residents.machine
        var told: Set<String> = []
        for headers in [
            basic(id, "wrong"), basic("unknown", secret), basic(id, ""), basic(residents.signer.id, secret),
            [.authorization: "Basic ###"], [:],
        ] {
            let reply = try await ask(headers)
            #expect(
                reply.outcome == "401 invalid_client" && reply[header: "WWW-Authenticate"]?.hasPrefix("Basic") == true)
            told.insert(reply.body)
        }
        #expect(told.count == 1)
        for (id, secret) in [(id, "wrong"), ("unknown", secret), (residents.signer.id, secret)] {
            let reply = try await ask(id: id, secret: secret)
            #expect(reply.outcome == "401 invalid_client" && told == [reply.body])
        }
        #expect(try await ask(basic(id, secret), secret: secret).outcome == "400 invalid_request", "two ways at once")
        #expect(try await ask(basic(id, secret), id: "another").outcome == "400 invalid_request")
        #expect(try await ask(basic(id, secret), scope: "admin").outcome == "400 invalid_scope")
    }

    @Test("a client that is not registered for the grant is refused")
    func unauthorized() async throws {
        try await TestServer.with { server in
            let (id, secret) = server.residents.machine
            try await server.database.execute(
                "update client set grant_types = array['authorization_code'] where id = \(id)")

            let reply = try await server.post(
                "/token", ["grant_type": "client_credentials"], headers: basic(id, secret))

            #expect(reply.outcome == "400 unauthorized_client")
        }
    }

    @Test(
        "private_key_jwt: a signed assertion, once",
        arguments: ["right", "another key", "another kid", "another audience", "sub is not iss", "the type"])
    func assertion(_ what: String) async throws {
        let server = try TestServer.ofSuite, (id, key) = server.residents.signer
        var body: JSONObject = [
            "iss": .string(id), "sub": .string(id), "aud": .string(ServerParts.root), "iat": .integer(server.now),
            "exp": .integer(server.now + 60),
            "jti": .string(UUID().uuidString),
        ]
        if what == "another audience" { body["aud"] = "https://other.example.org" }
        if what == "sub is not iss" { body["sub"] = "other" }
        let jwt = try (what == "another key" ? PhoneKey() : key).sign(
            body, header: ["kid": what == "another kid" ? "other" : "signer"])
        let type =
            what == "the type"
            ? "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"
            : "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        func post() async throws -> Reply {
            try await server.post(
                "/token", ["grant_type": "client_credentials", "client_assertion": jwt, "client_assertion_type": type])
        }

        let reply = try await post()

        #expect(
            reply.outcome
                == (what == "right" ? "200" : what == "the type" ? "400 invalid_request" : "401 invalid_client"),
            "\(reply.body)")
        if what == "right" { #expect(try await post().outcome == "401 invalid_client", "an assertion works once") }
    }
}
