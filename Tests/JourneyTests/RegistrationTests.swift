import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7523 registration of an app instance", .server)
struct RegistrationTests {
    typealias Variant = Spoilt<RegistrationDraft>

    @Test("an instance gets a bound token, a client_id and a refresh token")
    func registered() async throws {
        let server = try TestServer.ofSuite, draft = RegistrationDraft(server)

        let reply = try await draft.send()

        #expect(reply.outcome == "200")
        #expect(reply.json["token_type"] == "DPoP" && reply.json["expires_in"] == .integer(365 * 86_400))
        #expect(reply[header: "Cache-Control"] == "no-store" && reply[header: "Content-Type"] == "application/json")
        #expect(!reply.refreshToken.isEmpty)
        let token = claims(of: reply.accessToken)
        #expect(token["iss"] == .string(ServerParts.root) && token["aud"] == .string(ServerParts.root))
        #expect(token["sub"] == .string(reply.clientID) && token["client_id"] == .string(reply.clientID))
        #expect(token["cnf"]?["jkt"] == .string(draft.key.thumbprint) && token["cnf"]?["jwk"] == draft.key.jwk)
    }

    @Test(
        "what is accepted besides",
        arguments: [
            Variant("typ JWT", "200") { $0.header["typ"] = "JWT" },
            Variant("typ absent", "200") { $0.header["typ"] = nil },
            Variant("typ with application/", "200") { $0.header["typ"] = "application/Client-Authentication+JWT" },
            Variant("aud as array of one", "200") { $0.claims["aud"] = [.string(ServerParts.root)] },
            Variant("a clock a minute ahead", "200") { $0.set(["iat": $0.at(60), "exp": $0.at(360)]) },
            Variant("a clock a minute behind", "200") { $0.set(["iat": $0.at(-359), "exp": $0.at(-59)]) },
            Variant("nbf now, fractional dates", "200") {
                $0.set(["nbf": $0.at(0), "iat": .number(Double($0.server.now) + 0.5)])
            },
            Variant("unknown claims", "200") { $0.claims["battery"] = ["level": 80] },
        ])
    func accepted(_ variant: Variant) async throws {
        let reply = try await variant.applied(to: RegistrationDraft(TestServer.ofSuite)).send()

        #expect(reply.outcome == variant.outcome, "\(reply.body)")
    }

    @Test(
        "what is refused with 401 invalid_client, and why",
        arguments: [
            Variant("an unknown version", "401 invalid_client", "client authentication failed") {
                $0.claims["iss"] = "ch.example.wallet.9"
            },
            Variant("no issuer", "401 invalid_client", "check client_id") { $0.claims["iss"] = nil },
            Variant("another kid", "401 invalid_client", "header kid") { $0.header["kid"] = "kid-2" },
            Variant("no kid", "401 invalid_client", "header kid") { $0.header["kid"] = nil },
            Variant("another key's signature", "401 invalid_client", "signature") { $0.signingKey = PhoneKey() },
            Variant("alg none", "401 invalid_client", "check client_id") { $0.header["alg"] = "none" },
            Variant("the typ of a proof", "401 invalid_client", "typ dpop+jwt") { $0.header["typ"] = "dpop+jwt" },
            Variant("the typ of an access token", "401 invalid_client", "typ at+jwt") { $0.header["typ"] = "at+jwt" },
            Variant("another audience", "401 invalid_client", "aud must be") {
                $0.claims["aud"] = "https://other.example.org"
            },
            Variant("two audiences", "401 invalid_client", "aud must be") {
                $0.claims["aud"] = [.string(ServerParts.root), "https://other.example.org"]
            },
            Variant("the token endpoint as audience", "401 invalid_client", "aud must be") {
                $0.claims["aud"] = .string(ServerParts.root + "/token")
            },
            Variant("no audience", "401 invalid_client", "aud must be") { $0.claims["aud"] = nil },
            Variant("no iat", "401 invalid_client", "iat is missing") { $0.claims["iat"] = nil },
            Variant("iat as text", "401 invalid_client", "iat is missing") {
                $0.claims["iat"] = .string("\($0.server.now)")
            },
            Variant("no exp", "401 invalid_client", "exp is missing") { $0.claims["exp"] = nil },
            Variant("exp as text", "401 invalid_client", "exp is missing") {
                $0.claims["exp"] = .string("\($0.server.now + 300)")
            },
            Variant("made in the future", "401 invalid_client", "iat lies in the future") {
                $0.claims["iat"] = $0.at(61)
            },
            Variant("expired", "401 invalid_client", "has expired") {
                $0.set(["iat": $0.at(-300), "exp": $0.at(-60)])
            },
            Variant("too far ahead", "401 invalid_client", "300 seconds") { $0.claims["exp"] = $0.at(361) },
            Variant("too long a life", "401 invalid_client", "300 seconds") { $0.claims["iat"] = $0.at(-61) },
            Variant("not yet valid", "401 invalid_client", "nbf") { $0.claims["nbf"] = $0.at(61) },
            Variant("nbf as text", "401 invalid_client", "nbf") { $0.claims["nbf"] = "now" },
            Variant("no jti", "401 invalid_client", "jti") { $0.claims["jti"] = nil },
            Variant("an empty jti", "401 invalid_client", "jti") { $0.claims["jti"] = "" },
            Variant("a jti of 257 bytes", "401 invalid_client", "jti") {
                $0.claims["jti"] = .string(String(repeating: "x", count: 257))
            },
            Variant("no sub", "401 invalid_client", "device id") { $0.claims["sub"] = nil },
            Variant("a sub of 256 bytes", "401 invalid_client", "device id") {
                $0.claims["sub"] = .string(String(repeating: "é", count: 128))
            },
            Variant("no cnf", "401 invalid_client", "cnf.jwk") { $0.claims["cnf"] = nil },
            Variant("a shared secret as cnf", "401 invalid_client", "shared secret") {
                $0.claims["cnf"] = ["jwk": ["kty": "oct", "k": "AAAA"]]
            },
            Variant("a private key as cnf", "401 invalid_client", "private key") {
                $0.set(["cnf": ["jwk": $0.key.jwk(changed: ["d": "AAAA"])]])
            },
            Variant("a point off the curve as cnf", "401 invalid_client", "not acceptable") {
                $0.set(["cnf": ["jwk": $0.key.jwk(changed: ["x": $0.key.jwk["y"] ?? .null])]])
            },
            Variant("a cnf of nothing", "401 invalid_client", "names no key") { $0.claims["cnf"] = [:] },
            Variant("a key by its address as cnf", "401 invalid_client", "cnf.jku") {
                $0.set(["cnf": ["jwk": $0.key.jwk, "jku": "https://keys.example.org/a"]])
            },
            Variant("another key's thumbprint in cnf", "401 invalid_client", "cnf.jkt") {
                $0.set(["cnf": ["jwk": $0.key.jwk, "jkt": "AAAA"]])
            },
            Variant("the version's key as cnf", "401 invalid_client", "key of its own") {
                $0.claims["cnf"] = ["jwk": $0.signingKey.jwk]
            },
            Variant("a name of 801 bytes", "401 invalid_client", "name must be text") {
                $0.claims["name"] = .string(String(repeating: "é", count: 400) + "x")
            },
            Variant("a number as os_version", "401 invalid_client", "os_version must be text") {
                $0.claims["os_version"] = 19
            },
        ])
    func refused(_ spoilt: Variant) async throws {
        let reply = try await spoilt.applied(to: RegistrationDraft(TestServer.ofSuite)).send()

        #expect(reply.outcome == spoilt.outcome)
        #expect(reply["error_description"]?.contains(spoilt.why) == true, "\(reply.body)")
        #expect(reply[header: "WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
        #expect(reply[header: "Cache-Control"] == "no-store")
    }

    @Test("an assertion works once")
    func replay() async throws {
        let draft = try RegistrationDraft(TestServer.ofSuite)

        let first = try await draft.send(), second = try await draft.send()

        #expect(first.outcome == "200" && second.outcome == "401 invalid_client")
        #expect(second["error_description"]?.contains("used before") == true)
    }

    @Test("eduID's spelling means the same: Bearer assertion and JSON")
    func eduID() async throws {
        let server = try TestServer.ofSuite, draft = RegistrationDraft(server)

        let reply = try await server.post(
            "/token", json: ["grant_type": "client_credentials"], headers: [.authorization: "Bearer \(try draft.jwt)"])

        #expect(reply.outcome == "200" && !reply.clientID.isEmpty)
    }

    @Test("a proof is not needed; one by another key than cnf's is refused")
    func proof() async throws {
        let server = try TestServer.ofSuite, draft = RegistrationDraft(server)
        let phone = Phone(
            server: server, key: draft.key, device: draft.device, instance: Reply(status: 0, headers: [:], body: ""))

        let foreign = try await draft.send(headers: [.proof: phone.proof(.post, "/token", token: nil, by: PhoneKey())])
        let own = try await draft.send(headers: [.proof: phone.proof(.post, "/token", token: nil)])

        #expect(foreign.outcome == "400 invalid_dpop_proof")
        #expect(own.outcome == "200")
    }

    @Test("registering again with device and key ends the earlier instance; with another key it ends nothing")
    func again() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        func isLive() async throws -> Bool {
            try await server.parts.store.find(#require(NodeID(phone.instance.jti)))?.isLive(at: server.time.now) == true
        }

        #expect(try await RegistrationDraft(server, device: phone.device).send().outcome == "200")
        #expect(try await isLive())
        let again = try await RegistrationDraft(server, key: phone.key, device: phone.device).send()

        #expect(again.outcome == "200" && again.clientID != phone.clientID)
        #expect(try await !isLive())
    }

    @Test("a blocked device, a blocked key and a refused version stay out until it is lifted")
    func keptOut() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), clock = server.time.clock, database = server.database
            let instance = try #require(try await InstanceStore(clock: clock).find(phone.clientID, in: database))
            let blocks = BlockStore(clock: clock), apps = AppStore(clock: clock)

            for kind in BlockStore.Kind.allCases {
                #expect(
                    try await database.transaction { try await blocks.block(instance, only: kind, by: .server, in: $0) }
                )
                let reply = try await RegistrationDraft(
                    server, key: kind == .key ? phone.key : PhoneKey(), device: kind == .device ? phone.device : "other"
                ).send()
                #expect(
                    reply.outcome == "401 invalid_client" && reply["error_description"]?.contains("blocked") == true)
                #expect(try await database.transaction { try await blocks.unblock(instance, in: $0) })
                #expect(try await RegistrationDraft(server, device: phone.device).send().outcome == "200")
            }
            _ = try await apps.setStatus("\(Residents.app).1", .refused, in: database)
            #expect(try await RegistrationDraft(server).send()["error_description"]?.contains("update the app") == true)
            #expect(try await RegistrationDraft(server, version: "2").send().outcome == "200")
            _ = try await apps.setStatus("\(Residents.app).1", .allowed, in: database)
            #expect(try await RegistrationDraft(server).send().outcome == "200")
        }
    }

    @Test(
        "an app that a database marks as of the first generation is let nothing more than others",
        arguments: [
            ("aud", JSONValue.string(ServerParts.root + "/token")), ("iat", "1800000000"), ("exp", "1800000300"),
            ("cnf", .null),
        ])
    func firstGeneration(claim: String, value: JSONValue) async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute("update app set legacy = true")
            #expect(try await RegistrationDraft(server).send().outcome == "200")
            var draft = RegistrationDraft(server)

            draft.set([claim: value])

            #expect(try await draft.send().outcome == "401 invalid_client")
        }
    }

    @Test("of registrations at once with one device and key one instance is left")
    func atOnce() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)

        let replies = try await crowd(10) { _ in
            try await RegistrationDraft(server, key: phone.key, device: phone.device).send()
        }
        var alive = 0
        for reply in replies {
            let id = try #require(NodeID(reply.jti))
            if try await server.parts.store.find(id)?.isLive(at: server.time.now) == true { alive += 1 }
        }

        #expect(replies.allSatisfy { $0.outcome == "200" })
        #expect(alive == 1)
    }

    @Test("a server that slept past its partitions still registers")
    func slept() async throws {
        try await TestServer.with { server in
            server.time.advance(30 * 86_400)

            let reply = try await RegistrationDraft(server).send()

            #expect(reply.outcome == "200", "\(reply.body)")
        }
    }
}
