import Base
import Database
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

/// A client's secret is replaced, at once or with both taken for a while; by Basic and in the body, and where the
/// client is remembered.
@Suite("Another secret for a client", .server)
struct SecretRotationTests {
    private static func token(_ server: TestServer, _ secret: String, inBody: Bool = false) async throws -> Reply {
        let id = server.residents.machine.id
        if inBody {
            return try await server.post(
                "/token", ["grant_type": "client_credentials", "client_id": id, "client_secret": secret])
        }
        let basic = Data("\(id):\(secret)".utf8).base64EncodedString()
        return try await server.post(
            "/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(basic)"])
    }

    /// Keeps the secret of now for so many seconds, where any are named; the new one.
    private static func rotate(_ server: TestServer, keepingFor seconds: Double? = nil) async throws -> String {
        let clients = WebClientStore(clock: server.time.clock, randomness: .system)
        let until = seconds.map { server.time.clock.now().addingTimeInterval($0) }
        return try await server.database.transaction { transaction in
            let found = try await clients.find(server.residents.machine.id, locking: true, in: transaction)
            let client = try #require(found)
            return try #require(try await clients.rotateSecret(of: client, keepingOld: until, in: transaction)).secret
        }
    }

    @Test("without time to change over the old secret is refused at once", arguments: [true, false])
    func atOnce(inBody: Bool) async throws {
        try await TestServer.with { server in
            let old = server.residents.machine.secret
            #expect(try await Self.token(server, old, inBody: inBody).outcome == "200")

            let new = try await Self.rotate(server)

            let refused = try await Self.token(server, old, inBody: inBody)
            #expect(refused.outcome == "401 invalid_client")
            #expect(refused.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
            #expect(try await Self.token(server, new, inBody: inBody).outcome == "200")
        }
    }

    @Test("with time both are taken until it has passed, and then the new one alone", arguments: [true, false])
    func keptForAWhile(inBody: Bool) async throws {
        try await TestServer.with { server in
            let old = server.residents.machine.secret
            let new = try await Self.rotate(server, keepingFor: 3_600)

            for secret in [old, new] {
                #expect(try await Self.token(server, secret, inBody: inBody).outcome == "200")
            }
            #expect(try await Self.token(server, new + "x", inBody: inBody).outcome == "401 invalid_client")
            server.time.advance(3_601)

            #expect(try await Self.token(server, old, inBody: inBody).outcome == "401 invalid_client")
            #expect(try await Self.token(server, new, inBody: inBody).outcome == "200")
        }
    }

    @Test("there are never three: who replaces again ends the first, whatever time it had left")
    func neverThree() async throws {
        try await TestServer.with { server in
            let first = server.residents.machine.secret
            let second = try await Self.rotate(server, keepingFor: 3_600)
            let third = try await Self.rotate(server, keepingFor: 3_600)

            #expect(try await Self.token(server, first).outcome == "401 invalid_client")
            #expect(try await Self.token(server, second).outcome == "200")
            #expect(try await Self.token(server, third).outcome == "200")

            let fourth = try await Self.rotate(server)
            #expect(try await Self.token(server, third).outcome == "401 invalid_client")
            #expect(try await Self.token(server, fourth).outcome == "200")
        }
    }

    @Test("a client that is changed keeps both secrets; one without a secret gets none, and loses that before")
    func changed() async throws {
        try await TestServer.with { server in
            let old = server.residents.machine.secret, new = try await Self.rotate(server, keepingFor: 3_600)
            let clients = WebClientStore(clock: server.time.clock, randomness: .system)
            func change(_ body: @Sendable @escaping (inout WebClientDraft) -> Void) async throws -> WebClient {
                try await server.database.transaction { transaction in
                    let found = try await clients.find(server.residents.machine.id, locking: true, in: transaction)
                    let client = try #require(found)
                    var draft = WebClientDraft(client)
                    body(&draft)
                    return try await clients.update(client, to: draft, in: transaction).0
                }
            }

            _ = try await change { $0.name = "another name" }
            #expect(try await Self.token(server, old).outcome == "200")
            #expect(try await Self.token(server, new).outcome == "200")

            let jwks = JSONValue.object(["keys": [server.residents.signer.key.jwk(kid: "k")]])
            let signer = try await change { ($0.authMethod, $0.jwks) = (.privateKeyJWT, jwks) }
            #expect(signer.oldSecretUntil(at: server.time.clock.now()) == nil)
            #expect(try await Self.token(server, old).outcome == "401 invalid_client")
            let none = try await server.database.transaction {
                try await clients.rotateSecret(of: signer, in: $0)?.secret
            }
            #expect(none == nil)
        }
    }
}
