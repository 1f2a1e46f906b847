import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// What a server knows of a client is asked of the database by the statement that lets it in: here somebody else
/// changes the row, after the server has got to know it.
@Suite("Clients that are remembered", .server)
struct RememberedClientTests {
    private static func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
    }

    /// A machine that has got a token and has asked about it, and the token.
    private static func withKnownMachine(
        _ body: @escaping @Sendable (TestServer, _ id: String, _ secret: String, _ token: String) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let (id, secret) = server.residents.machine
            let reply = try await token(server, id, secret)
            #expect(reply.outcome == "200")
            for _ in 0..<2 {
                #expect(try await introspect(server, id, secret, reply.accessToken).json["active"] == true)
            }
            try await body(server, id, secret, reply.accessToken)
        }
    }

    private static func token(
        _ server: TestServer, _ id: String, _ secret: String, scope: String? = nil
    ) async throws -> Reply {
        try await server.post(
            "/token", ["grant_type": "client_credentials", "scope": scope], headers: basic(id, secret))
    }

    private static func introspect(
        _ server: TestServer, _ id: String, _ secret: String, _ token: String
    ) async throws -> Reply {
        try await server.post("/introspect", ["token": token], headers: basic(id, secret))
    }

    @Test("another secret: the old one is refused at once, the new one is taken at once")
    func secret() async throws {
        try await Self.withKnownMachine { server, id, old, token in
            let fresh = "another-secret"
            try await server.database.execute("update client set secret = \(Digest.sha256(fresh)) where id = \(id)")

            #expect(try await Self.token(server, id, old).outcome == "401 invalid_client")
            #expect(try await Self.introspect(server, id, old, token).outcome == "401 invalid_client")
            #expect(try await Self.introspect(server, id, fresh, token).json["active"] == true)
            #expect(try await Self.token(server, id, fresh).outcome == "200")
            #expect(try await Self.token(server, id, old).outcome == "401 invalid_client")
        }
    }

    @Test(
        "introspection alone notices another secret, whatever the text that it is asked about",
        arguments: [true, false])
    func introspection(isToken: Bool) async throws {
        try await Self.withKnownMachine { server, id, old, token in
            try await server.database.execute("update client set secret = \(Digest.sha256("other")) where id = \(id)")

            let asked = try await Self.introspect(server, id, old, isToken ? token : "nothing")

            #expect(asked.outcome == "401 invalid_client")
        }
    }

    @Test("revocation alone notices another secret, and ends nothing; with the new one it ends the token")
    func revocation() async throws {
        try await Self.withKnownMachine { server, id, old, token in
            try await server.database.execute("update client set secret = \(Digest.sha256("other")) where id = \(id)")
            func revoke(_ secret: String, _ text: String) async throws -> String {
                try await server.post("/revoke", ["token": text], headers: Self.basic(id, secret)).outcome
            }

            #expect(try await revoke(old, token) == "401 invalid_client")
            #expect(try await revoke(old, "nothing") == "401 invalid_client")
            #expect(try await Self.introspect(server, id, "other", token).json["active"] == true)
            #expect(try await revoke("other", token) == "200")
            #expect(try await Self.introspect(server, id, "other", token).json["active"] == false)
        }
    }

    @Test("fewer scopes, more scopes, and a grant taken away and given back hold at once")
    func registration() async throws {
        try await Self.withKnownMachine { server, id, secret, _ in
            try await server.database.execute("update client set scope = 'read' where id = \(id)")
            #expect(try await Self.token(server, id, secret).json["scope"] == "read")
            #expect(try await Self.token(server, id, secret, scope: "write").outcome == "400 invalid_scope")

            try await server.database.execute("update client set scope = 'read write' where id = \(id)")
            #expect(try await Self.token(server, id, secret, scope: "write").json["scope"] == "write")

            try await server.database.execute("update client set grant_types = '{}' where id = \(id)")
            #expect(try await Self.token(server, id, secret).outcome == "400 unauthorized_client")

            try await server.database.execute(
                "update client set grant_types = array['client_credentials'] where id = \(id)")
            #expect(try await Self.token(server, id, secret).outcome == "200")
        }
    }

    @Test("a change that has nothing to do with how it authenticates refuses nobody")
    func harmless() async throws {
        try await Self.withKnownMachine { server, id, secret, token in
            for name in ["one", "two"] {
                try await server.database.execute(
                    """
                    update client set name = \(name), metadata = metadata || jsonb_build_object('client_uri',
                        'https://' || \(name) || '.example.org') where id = \(id)
                    """)
                let isFirst = name == "one"
                let first =
                    isFirst
                    ? try await Self.token(server, id, secret)
                    : try await Self.introspect(server, id, secret, token)
                #expect(first.outcome == "200")
            }
        }
    }

    @Test(
        "a key that is added to a signer's set refuses nobody who signs with another, and uses up each assertion once")
    func addedKey() async throws {
        try await TestServer.with { server in
            let (id, key) = server.residents.signer
            func assertion() throws -> String {
                try key.sign(
                    [
                        "iss": .string(id), "sub": .string(id), "aud": .string(ServerParts.root),
                        "iat": .integer(server.now), "exp": .integer(server.now + 60),
                        "jti": .string(UUID().uuidString),
                    ], header: ["kid": "signer"])
            }
            func ask(_ assertion: String) async throws -> String {
                try await server.post(
                    "/token",
                    [
                        "grant_type": "client_credentials", "client_assertion": assertion,
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ]
                ).outcome
            }
            #expect(try await ask(try assertion()) == "200")
            let more = JSONValue.array([PhoneKey().jwk(kid: "second")])
            try await server.database.execute(
                "update client set jwks = jsonb_set(jwks, '{keys}', (jwks -> 'keys') || \(more)) where id = \(id)")

            let one = try assertion()
            #expect(try await ask(one) == "200")
            #expect(try await ask(one) == "401 invalid_client", "used before")

            try await server.database.execute(
                "update client set jwks = jsonb_build_object('keys', \(more)) where id = \(id)")
            #expect(try await ask(try assertion()) == "401 invalid_client", "its key is gone")
        }
    }

    @Test("a client that is gone is refused, and one that is a service's by now asks as that service")
    func gone() async throws {
        try await Self.withKnownMachine { server, id, secret, token in
            let row = try #require(
                try await server.database.query("select id, client from service order by id limit 1").first)
            let name: String = try row("id"), client: String = try row("client")
            try await server.database.execute("update service set client = \(id) where id = \(name)")
            #expect(
                try await server.post(
                    "/token/validate", ["jti": UUID().uuidString], headers: Self.basic(id, secret)
                ).status == 404, "a service may ask; there is no such assertion")
            #expect(try await Self.introspect(server, id, secret, token).json["active"] == true)

            try await server.database.execute("update service set client = \(client) where id = \(name)")
            try await server.database.execute("delete from client where id = \(id)")

            #expect(try await Self.token(server, id, secret).outcome == "401 invalid_client")
            #expect(try await Self.introspect(server, id, secret, token).outcome == "401 invalid_client")
        }
    }

    @Test("a client that is deleted while it gets its first token gets none that lives")
    func deleted() async throws {
        try await TestServer.with { server in
            let (id, secret) = server.residents.machine, node = Ancestor(.client, id)
            let asking = try await server.database.atomically { transaction in
                _ = try await transaction.execute("delete from client where id = \(id)")
                try await server.parts.revocation.hold(node, in: transaction)
                _ = try await server.parts.revocation.revoke(.virtual(node), by: .server, in: transaction)
                let asking = Task { try await Self.token(server, id, secret).outcome }
                try await Task.sleep(for: .milliseconds(300))
                return asking
            }

            #expect(try await asking.value == "401 invalid_client")
            let made: Int = try await server.database.value("select count(*) from token where client = \(id)")
            #expect(made == 0)
        }
    }

    @Test("after a revocation of the client its next token lives, and so it does where the generation is no more")
    func generation() async throws {
        try await Self.withKnownMachine { server, id, secret, token in
            try await server.parts.revocation.revoke(.virtual(Ancestor(.client, id)), by: .server)
            let second = try await Self.token(server, id, secret).accessToken
            #expect(try await Self.introspect(server, id, secret, token).json["active"] == false)
            #expect(try await Self.introspect(server, id, secret, second).json["active"] == true)

            // As after a backup was put back under a running server.
            try await server.database.execute("delete from ancestor where kind = 'client' and name = \(id)")
            let third = try await Self.token(server, id, secret)
            #expect(third.outcome == "200")
            let open: Int = try await server.database.value(
                "select count(*) from ancestor where kind = 'client' and name = \(id)")
            #expect(open == 1)
            try await server.parts.revocation.revoke(.virtual(Ancestor(.client, id)), by: .server)
            #expect(try await Self.introspect(server, id, secret, third.accessToken).json["active"] == false)
        }
    }
}
