import Base
import Foundation
import HTTPTypes
import Keys
import OAuth
import TestSupport
import Testing
import TokenTree

@Suite("Group 73: signing keys change under load")
struct KeyRotationTests {
    private static let day: TimeInterval = 86_400

    private struct Held: Sendable {
        let token: String
        let kid: String
        let expires: TimeInterval
    }

    private func kid(of jwt: String) throws -> String {
        let bytes = try #require(Base64URL.decode(jwt.prefix { $0 != "." }))
        return try #require(try JSONReader.read(bytes)["kid"]?.string)
    }

    private func published(_ server: TestServer) async throws -> Set<String> {
        try await Set(server.get("/jwks.json").json["keys"]?.array?.compactMap { $0["kid"]?.string } ?? [])
    }

    private func basic(_ server: TestServer) -> HTTPFields {
        let (id, secret) = server.residents.machine
        return [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
    }

    private func machineToken(_ server: TestServer) async throws -> Held {
        let reply = try await server.post("/token", ["grant_type": "client_credentials"], headers: basic(server))
        try #require(reply.outcome == "200", "\(reply.body)")
        let expires = try #require(claims(of: reply.accessToken)["exp"]?.integer)
        return Held(token: reply.accessToken, kid: try kid(of: reply.accessToken), expires: TimeInterval(expires))
    }

    private func isActive(_ held: Held, at server: TestServer) async throws -> Bool {
        try await server.post("/introspect", ["token": held.token], headers: basic(server)).json["active"] == true
    }

    /// Two processes that are told of new keys by notification.
    private func withTwo(
        signing: SigningKeys.Settings, _ body: @Sendable ([TestServer]) async throws -> Void
    ) async throws {
        try await TestServer.with(connections: 10, signing: signing) { server in
            try await server.withReplica(signing: signing) { replica in
                let watches = [server, replica].map { place in Task { await place.parts.keys.watch() } }
                defer { for watch in watches { watch.cancel() } }
                try await body([server, replica])
            }
        }
    }

    @Test(
        """
        group 73: keys change every quarter of an hour while two processes issue and check: nothing valid is \
        refused, and every key in use is published
        """
    )
    func underLoad() async throws {
        // A service keeps a key set for ten minutes: announced for longer, a key is known before it signs.
        let settings = SigningKeys.Settings(algorithms: [.es256, .edDSA], lifetime: 900, announcement: 660)
        try await withTwo(signing: settings) { servers in
            let server = servers[0], phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            var held: [Held] = [], kids: Set<String> = []
            for step in 0..<24 {
                async let turned: Void = {
                    server.time.advance(300)
                    try await servers[step % 2].parts.keys.ensure()
                }()
                let (known, place) = (held, step)
                let fresh = try await crowd(16) { number -> Held in
                    let issuer = servers[number % 2], checker = servers[(number + 1) % 2]
                    let token = try await machineToken(issuer)
                    #expect(try await isActive(token, at: checker), "step \(place): a token just issued")
                    if let old = known.randomElement(), old.expires > server.time.now.timeIntervalSince1970 + 600 {
                        #expect(try await isActive(old, at: checker), "step \(place): a token of \(old.kid)")
                    }
                    return token
                }
                try await turned

                held = (held + fresh).filter { $0.expires > server.time.now.timeIntervalSince1970 }
                kids.formUnion(fresh.map(\.kid))
                for place in servers {
                    #expect(try await published(place).isSuperset(of: held.map(\.kid)), "step \(step)")
                    #expect(
                        try await place.get("/userinfo", headers: phone.dpop(.get, "/userinfo", token: pat.accessToken))
                            .outcome == "200", "step \(step): signed by the first key")
                }
                #expect(
                    try await phone.redeem(assertion: phone.assertion(pat)).outcome == "200",
                    "step \(step): the service knows the key")
            }
            #expect(kids.count >= 6, "two hours")
        }
    }

    @Test("group 73: a retiring key's token is good to its last second, and its key is published as long")
    func lastSecond() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), kid = try kid(of: phone.instance.accessToken)
            for _ in 0..<12 {
                server.time.advance(30 * KeyRotationTests.day)
                try await server.parts.partitions.makeAhead()
                try await server.parts.keys.ensure()
                #expect(try await published(server).contains(kid))
            }
            server.time.advance(5 * KeyRotationTests.day - 1)
            try await server.parts.keys.ensure()

            #expect(try await SigningKeys.list(server.database).first { $0.kid == kid }?.status == .retiring)
            #expect(try await phone.logInForCode().outcome == "200")
            server.time.advance(1)
            #expect(try await phone.logInForCode().outcome == "401 invalid_token")
            server.time.advance(150 * KeyRotationTests.day)
            try await server.parts.keys.ensure()
            #expect(try await !published(server).contains(kid))
        }
    }

    @Test("group 73: no token that a key signs outlives the key's publication, and no cached key set its announcement")
    func retention() {
        let settings = SigningKeys.Settings(), lifetimes = Lifetimes()

        #expect(TokenKind.allCases.allSatisfy { lifetimes.of($0) < settings.retention })
        #expect(settings.announcement > 3_600 && settings.announcement < settings.lifetime)
    }

    @Test(
        "the whole journey is signed by the first of the configured algorithms, and the others are published",
        arguments: [
            [SigningAlgorithm.es256], [.edDSA, .es256], [.rs256, .es256, .edDSA],
        ])
    func journey(_ algorithms: [SigningAlgorithm]) async throws {
        try await TestServer.with(signing: .init(algorithms: algorithms)) { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let assertion = try await phone.assertion(pat), service = try await phone.redeem(assertion: assertion),
                app = try await phone.authorizeApp(service)

            #expect(server.parts.keys.algorithms == algorithms)
            for token in [phone.instance.accessToken, pat.accessToken, assertion, service.accessToken, app.accessToken]
            {
                let jwt = try JWT(token)
                #expect(jwt.algorithm == algorithms[0].rawValue)
                #expect(try await server.parts.keys.verify(jwt))
            }
            #expect(
                try await server.get(
                    "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
                ).outcome == "200")
            let keys = try await server.get("/jwks.json").json["keys"]?.array ?? []
            #expect(
                algorithms.allSatisfy { algorithm in keys.count { $0["alg"]?.string == algorithm.rawValue } == 2 }
                    && keys.count == 2 * algorithms.count)
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            try await server.sendEvents()
            #expect(server.wire.pushes.map(\.status) == [202])
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        }
    }
}
