import Base
import Database
import Federation
import Foundation
import HTTP
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7009: services that take no events are called")
struct RevocationCallTests {
    private static let endpoint = "https://quiet.example.org/revoke"

    /// From now on `quiet` is called; what was issued before has settled.
    private func called(_ server: TestServer) async throws {
        let index = ServiceIndex(clock: server.time.clock)
        try await server.database.transaction { transaction in
            _ = try await index.update(
                "quiet", ServiceChange(notify: .revoke, revocationEndpoint: .some(Self.endpoint)), in: transaction)
        }
        server.time.advance(60)
    }

    /// A phone with assertions for `quiet`, by their `jti`.
    private func phone(_ server: TestServer, assertions count: Int) async throws -> (Phone, Set<String>) {
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
        var names: Set<String> = []
        for _ in 0..<count {
            let assertion = try await phone.assertion(pat, for: Residents.quietBase)
            names.insert(try #require(claims(of: assertion)["jti"]?.string))
        }
        return (phone, names)
    }

    private func revoke(_ server: TestServer, _ phone: Phone) async throws {
        try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
    }

    private func form(_ body: String) throws -> [String: String] { try FormCodec.read(Array(body.utf8)) }

    /// What was called for, each time.
    private func tokens(_ server: TestServer) throws -> [String] {
        try server.wire.forms.filter { $0.status == 200 }.compactMap { try form($0.body)["token"] }
    }

    private func send(_ server: TestServer, rounds: Int) async throws {
        for _ in 0..<rounds {
            try await server.sendEvents()
            server.time.advance(1)
        }
    }

    private func waiting(_ server: TestServer) async throws -> Int {
        try await server.database.value(
            "select count(*) from outbox where service = 'quiet' and settled_at is null")
    }

    @Test("one call for each assertion below the node, and none for others; then the event is settled")
    func each() async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 3),
                (_, others) = try await self.phone(
                    server, assertions: 1)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }

            try await revoke(server, phone)
            try await send(server, rounds: 3)

            #expect(try Set(tokens(server)) == names && tokens(server).count == 3)
            #expect(server.wire.forms.allSatisfy { $0.url == Self.endpoint } && server.wire.pushes.isEmpty)
            let first = try #require(server.wire.forms.first), form = try form(first.body)
            let authentication = try #require(form["client_assertion"]), claims = claims(of: authentication)
            #expect(form["token_type_hint"] == "jti" && form.count == 4)
            #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            #expect(claims["iss"] == .string(ServerParts.root) && claims["sub"] == .string(ServerParts.root))
            #expect(claims["aud"] == .string(Self.endpoint) && claims["jti"]?.string != nil)
            let life = (claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0)
            #expect(life > 0 && life <= 300)
            let text = try #require(authentication.split(separator: ".").first)
            let head = try JSONReader.read(try #require(Base64URL.decode(text)))
            #expect(head["typ"] == "client-authentication+jwt")
            #expect(try await waiting(server) == 0)
            let left: [String] = try await server.database.query(
                "select assertion::text as name from assertion_reach where service = 'quiet'"
            ).map { try $0("name") }
            #expect(Set(left) == others, "what was called for is forgotten")
        }
    }

    @Test("what was issued before the service was called is called for, too")
    func before() async throws {
        try await TestServer.with { server in
            let (phone, names) = try await phone(server, assertions: 2)
            try await called(server)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }

            try await revoke(server, phone)
            try await send(server, rounds: 3)

            #expect(try Set(tokens(server)) == names)
            #expect(try await waiting(server) == 0)
        }
    }

    @Test("at most ten calls a second and service, of all processes together; a process that comes later goes on")
    func pace() async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 23)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
            try await revoke(server, phone)

            try await server.sendEvents()
            try await server.sendEvents()
            #expect(server.wire.forms.count == 10)
            try await server.withReplica { other in
                other.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
                try await other.sendEvents()
                #expect(other.wire.forms.isEmpty)
                other.time.advance(1)
                try await send(other, rounds: 3)
                let all = try tokens(server) + tokens(other)
                #expect(all.count == 23 && Set(all) == names && other.wire.forms.count == 13)
            }
            #expect(try await waiting(server) == 0)
        }
    }

    @Test("of a process that ends in the middle, another goes on where it was")
    func killed() async throws {
        struct Killed: Error {}
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 6)
            let wire = server.wire
            wire.answerForms { _ in
                guard wire.forms.count < 2 else { throw Killed() }
                return OutgoingHTTP.Receipt(status: 200)
            }
            try await revoke(server, phone)
            try await server.sendEvents()
            #expect(wire.forms.count == 2 && names.count == 6)
            #expect(try await waiting(server) == 1)

            try await server.withReplica { other in
                other.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
                other.time.advance(15)
                try await send(other, rounds: 3)
                #expect(try Set(tokens(server) + tokens(other)) == names && other.wire.forms.count == 4)
            }
            #expect(try await waiting(server) == 0)
        }
    }

    @Test("what a service cannot do now is tried again", arguments: [408, 425, 429, 500, 502, 503, 504])
    func later(_ status: Int) async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 2)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: status) }
            try await revoke(server, phone)
            try await server.sendEvents()
            #expect(server.wire.forms.count == 1, "the next one would fare no better")
            let told: String = try await server.database.value(
                "select last_error from delivery where service = 'quiet'")
            #expect(told == "HTTP status \(status)")

            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
            try await send(server, rounds: 4)

            #expect(try Set(tokens(server)) == names)
            #expect(try await waiting(server) == 0)
        }
    }

    @Test("Retry-After is waited for")
    func retryAfter() async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 1)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 503, retryAfter: 120) }
            try await revoke(server, phone)
            try await server.sendEvents()
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }

            server.time.advance(60)
            try await send(server, rounds: 2)
            #expect(server.wire.forms.count == 1)
            server.time.advance(60)
            try await send(server, rounds: 2)

            #expect(try Set(tokens(server)) == names)
        }
    }

    @Test(
        "one that is refused keeps no other from being called for, and is a dead letter in the end",
        arguments: [400, 401, 404, 302, 501, 505])
    func refused(_ status: Int) async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 3), bad = try #require(names.min())
            server.wire.answerForms { body in OutgoingHTTP.Receipt(status: body.contains(bad) ? status : 200) }
            try await revoke(server, phone)
            try await send(server, rounds: 4)

            #expect(try Set(tokens(server)) == names.subtracting([bad]))
            #expect(try await waiting(server) == 1)
            let told: String = try await server.database.value(
                "select last_error from delivery where service = 'quiet'")
            #expect(told.contains("HTTP status \(status)"))
            server.time.advance(8 * 86_400)
            try await send(server, rounds: 2)

            #expect(try await waiting(server) == 0)
            let error: String = try await server.database.value("select error from outbox where service = 'quiet'")
            #expect(error.contains("HTTP status \(status)"))
        }
    }

    @Test("a move asks for no call; what hangs below goes on under the other ancestor, and ends with it")
    func moved() async throws {
        try await TestServer.with { server in
            try await called(server)
            let (phone, names) = try await phone(server, assertions: 1)
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
            let upgrade = RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
            #expect(
                try await upgrade.send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken)).outcome
                    == "200")
            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.version, "\(Residents.app).1")), by: .server)
            try await send(server, rounds: 3)
            #expect(server.wire.forms.isEmpty)

            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.version, "\(Residents.app).2")), by: .server)
            try await send(server, rounds: 3)

            #expect(try Set(tokens(server)) == names)
            #expect(try await waiting(server) == 0)
        }
    }

    @Test("assertions are remembered for services that are called, and for no others")
    func remembered() async throws {
        try await TestServer.with { server in
            _ = try await phone(server, assertions: 2)
            #expect(try await server.database.value("select count(*) from assertion_reach") == 0)
            try await called(server)
            _ = try await phone(server, assertions: 2)
            #expect(try await server.database.value("select count(*) from assertion_reach") == 2)
        }
    }
}
