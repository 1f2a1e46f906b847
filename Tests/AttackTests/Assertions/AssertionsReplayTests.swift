import Base
import Crypto
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// One assertion, one use; and keys that clients have no more.
@Suite("Attacks by client assertions: replay, floods and old keys (groups 43, 44 and 47)", .server)
struct AssertionsReplayTests {
    // MARK: Group 43

    @Test(
        "group 43: without a jti of 1 to 256 bytes there is no assertion",
        arguments: [
            JSONValue.null, "", 5, true, ["x"], ["jti": "x"], .string(String(repeating: "j", count: 257)),
            .string(String(repeating: "é", count: 129)),
        ])
    func shapes(_ jti: JSONValue) async throws {
        let forge = try await AssertionsForge.ready()
        #expect(try await forge.send(try forge.jwt(["jti": jti])).outcome == "401 invalid_client")
        #expect(
            try await forge.send(try forge.jwt(["jti": .string(String(repeating: "é", count: 128))])).outcome == "200")
    }

    @Test("group 43: an assertion works once: here, at another node, after a restart, and with other claims")
    func reuse() async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString,
            assertion = try forge.jwt(["jti": .string(jti)])
        try await forge.server.withReplica { replica async throws in
            #expect(try await forge.send(assertion).outcome == "200")
            for place in [forge.server, replica] {
                #expect(try await forge.send(assertion, to: place).outcome == "401 invalid_client")
                #expect(
                    try await forge.send(try forge.jwt(["jti": .string(jti), "more": 1]), to: place).outcome
                        == "401 invalid_client", "the same jti in another assertion of the same second")
            }
        }
        // A process that was not there: it knows what the database knows.
        try await forge.server.withReplica { restarted async throws in
            #expect(try await forge.send(assertion, to: restarted).outcome == "401 invalid_client")
        }
    }

    /// "During a rolling upgrade": what is stored is a digest of namespace and jti behind a second, kept since the
    /// first migration; there is no earlier form of it that a node could still write.
    @Test("group 43: of forty that show one assertion at two nodes at once, one is let in")
    func race() async throws {
        let forge = try await AssertionsForge.ready(), assertion = try forge.jwt()
        try await forge.server.withReplica { replica async throws in
            let replies = try await crowd(40) {
                try await forge.send(assertion, to: $0 % 2 == 0 ? forge.server : replica)
            }
            #expect(
                replies.count { $0.outcome == "200" } == 1 && replies.count { $0.outcome == "401 invalid_client" } == 39
            )
        }
    }

    @Test("group 43: each client has identifiers of its own, and no pair of client and jti spells another")
    func namespaces() async throws {
        let (one, other) = (try await AssertionsForge.ready(), try await AssertionsForge.ready()),
            jti = UUID().uuidString

        #expect(try await one.send(try one.jwt(["jti": .string(jti)])).outcome == "200")
        #expect(try await other.send(try other.jwt(["jti": .string(jti)])).outcome == "200")
        #expect(try await one.send(try one.jwt(["jti": .string(other.id + jti)])).outcome == "200")
        #expect(try await one.send(try one.jwt(["jti": .string(jti)])).outcome == "401 invalid_client")
        #expect(
            NodeID(oneTime: "bc", namespace: "a", expires: one.server.time.now)
                != NodeID(oneTime: "c", namespace: "ab", expires: one.server.time.now))
    }

    @Test("group 43: after its end it is refused for that, and its jti may be forgotten")
    func afterwards() async throws {
        try await TestServer.with { server in
            let forge = try await AssertionsForge.ready(in: server), assertion = try forge.jwt()
            #expect(try await forge.send(assertion).outcome == "200")

            server.time.advance(200)
            #expect(try await forge.send(assertion).outcome == "401 invalid_client")
            server.time.advance(3 * 86_400)
            try await server.parts.partitions.makeAhead()
            try await server.parts.partitions.dropDead()
            #expect(try await server.database.value("select count(*) from one_time") == 0)
            #expect(try await forge.send(assertion).outcome == "401 invalid_client")
        }
    }

    @Test(
        "group 43: nobody burns another's jti: a bad signature, a wrong audience or an old assertion stores nothing",
        arguments: ["signature", "aud", "expired", "another client's"])
    func notBurnt(_ what: String) async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString, now = forge.server.now
        let bad =
            switch what {
            case "signature": try forge.jwt(["jti": .string(jti)], by: P256.Signing.PrivateKey())
            case "aud": try forge.jwt(["jti": .string(jti), "aud": "https://other.example"])
            case "expired": try forge.jwt(["jti": .string(jti), "exp": .integer(now - 60)])
            default:
                try await AssertionsForge.ready().jwt([
                    "jti": .string(jti), "iss": .string(forge.id), "sub": .string(forge.id),
                ])
            }
        for _ in 0..<3 { #expect(try await forge.send(bad).outcome == "401 invalid_client") }
        #expect(try await forge.send(try forge.jwt(["jti": .string(jti)])).outcome == "200")
    }

    // MARK: Group 44

    /// A million are the bench's; here it is that what is kept is of one size, and goes by whole partitions.
    @Test("group 44: a flood of assertions leaves 16 bytes each, in partitions of an hour that are dropped")
    func flood() async throws {
        try await TestServer.with { server in
            let forge = try await AssertionsForge.ready(in: server),
                store = OneTimeStore(database: server.database, partitions: server.parts.partitions)
            for width in [1, 256] {
                #expect(
                    try await forge.send(
                        try forge.jwt([
                            "jti": .string(String(repeating: "j", count: width)), "exp": .integer(server.now + 300),
                        ])
                    ).outcome == "200")
            }
            let expires = server.time.now.addingTimeInterval(360)
            #expect(
                try await crowd(3_000) {
                    try await store.claim("flood \($0)", namespace: "client-assertion \(forge.id)", expires: expires)
                }.allSatisfy { $0 })

            let columns: Int = try await server.database.value(
                """
                select count(*) from information_schema.columns where table_schema = current_schema()
                    and table_name = 'one_time' and data_type <> 'uuid'
                """
            )
            let used: Int = try await server.database.value("select count(distinct tableoid) from one_time"),
                rows: Int = try await server.database.value("select count(*) from one_time")
            #expect(columns == 0 && rows == 3_002 && used <= 2)
            let before: Int = try await server.database.value(
                "select count(*) from pg_inherits where inhparent = 'one_time'::regclass")
            server.time.advance(30 * 3_600)
            try await server.parts.partitions.makeAhead()
            try await server.parts.partitions.dropDead()
            #expect(try await server.database.value("select count(*) from one_time") == 0)
            #expect(
                try await server.database.value(
                    "select count(*) from pg_inherits where inhparent = 'one_time'::regclass") <= before + 25,
                "a day of them stays, for a late look")
        }
    }

    @Test(
        "group 44: a jti of 1 MB is more than a request may have, and one of 40 kB more than a jti",
        arguments: [(1_000_000, "413 too_large"), (40_000, "401 invalid_client")])
    func longJTI(_ count: Int, _ outcome: String) async throws {
        let forge = try await AssertionsForge.ready()
        #expect(
            try await forge.send(try forge.jwt(["jti": .string(String(repeating: "j", count: count))])).outcome
                == outcome)
    }

    @Test("group 44: no assertion lives longer than its identifier is kept")
    func lifetime() async throws {
        let forge = try await AssertionsForge.ready(), now = forge.server.now
        for seconds in [661, 3_600, 86_400, 315_360_000] {
            #expect(
                try await forge.send(try forge.jwt(["exp": .integer(now + seconds)])).outcome == "401 invalid_client")
        }
    }

    // MARK: Group 47

    // The other half — a signing key of the server that others hold — is KeyRevocationTests in JourneyTests.

    @Test(
        """
        group 47: a key that its client took out of its registration is refused at once, at every node; the new one \
        is taken
        """
    )
    func removed() async throws {
        let server = try TestServer.ofSuite, (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        @Sendable func document(_ key: P256.Signing.PrivateKey) -> JSONObject {
            [
                "client_name": "rotates", "grant_types": ["client_credentials"],
                "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [AssertionsForge.jwk(of: key)]],
            ]
        }
        let registered = try await OperationsFixture.register(server, document(old))
        try #require(registered.status == 201, "\(registered.body)")
        let before = AssertionsForge(server: server, id: registered.clientID, key: old),
            after = AssertionsForge(server: server, id: registered.clientID, key: new)
        try await server.withReplica { replica async throws in
            for place in [server, replica] {
                #expect(try await before.send(try before.jwt(), to: place).outcome == "200")
            }
            let waiting = try before.jwt()

            let update = try await server.send(
                .put, "/register/\(before.id)",
                headers: [
                    .authorization: "Bearer \(registered["registration_access_token"] ?? "")",
                    .contentType: "application/json",
                ],
                body: JSONValue.object(document(new).with(["client_id": .string(before.id)])).bytes)
            #expect(update.status == 200, "\(update.body)")

            for place in [server, replica] {
                #expect(try await before.send(waiting, to: place).outcome == "401 invalid_client", "made before, too")
                #expect(try await before.send(try before.jwt(), to: place).outcome == "401 invalid_client")
                #expect(try await after.send(try after.jwt(), to: place).outcome == "200")
            }
        }
    }

    /// Where the client publishes its keys at a URL of its own, a key may be taken for the ten minutes that a set is
    /// kept; not longer, and not where the set was read anew for a new key.
    @Test("group 47: a key that is gone from the client's URL is refused once the set is read again")
    func published() async throws {
        try await TestServer.with { server in
            let url = "https://rp.example.org/jwks", forge = try await AssertionsForge.ready(in: server, keysAt: url),
                next = P256.Signing.PrivateKey()
            #expect(try await forge.send(try forge.jwt()).outcome == "200")
            server.wire.publish(JSONValue.object(["keys": [AssertionsForge.jwk(of: next, kid: "next")]]).text, at: url)

            server.time.advance(11)
            #expect(try await forge.send(try forge.jwt(header: ["kid": "next"], by: next)).outcome == "200")
            #expect(try await forge.send(try forge.jwt()).outcome == "401 invalid_client")
            server.wire.publish(JSONValue.object(["keys": [forge.jwk]]).text, at: url)
            server.time.advance(600)
            #expect(
                try await forge.send(try forge.jwt(header: ["kid": "next"], by: next)).outcome == "401 invalid_client")
        }
    }

    @Test("group 47: a client whose key was stolen is revoked: all that was issued by it ends, on every node")
    func stolen() async throws {
        let forge = try await AssertionsForge.ready(), other = try await AssertionsForge.ready()
        let (thiefs, others) = (try await forge.send(try forge.jwt()), try await other.send(try other.jwt()))
        try await forge.server.parts.revocation.revoke(.virtual(Ancestor(.client, forge.id)), by: .server)

        try await forge.server.withReplica { replica async throws in
            for place in [forge.server, replica] {
                #expect(
                    try await place.get("/userinfo", headers: [.authorization: "Bearer \(thiefs.accessToken)"]).outcome
                        == "401 invalid_token")
                #expect(
                    try await place.get("/userinfo", headers: [.authorization: "Bearer \(others.accessToken)"]).outcome
                        == "403 insufficient_scope", "lives, and is no person's")
            }
        }
    }
}
