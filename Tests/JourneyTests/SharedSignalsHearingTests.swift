import Accounts
import Base
import Federation
import Foundation
import HTTP
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("OpenID Shared Signals Framework 1.0: a stream among the other ways of hearing")
struct SharedSignalsHearingTests {
    private static let endpoint = ServerParts.base + "/revoke"

    /// `learn` hears this way where it has no stream; what was issued before has settled.
    private func hear(_ way: Hearing.Wish, _ server: TestServer) async throws {
        let index = ServiceIndex(clock: server.time.clock)
        try await server.database.transaction {
            _ = try await index.update(
                "learn", ServiceChange(notify: way, revocationEndpoint: .some(Self.endpoint)), in: $0)
        }
        server.time.advance(60)
        server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
    }

    /// A phone that holds an assertion for `learn`.
    private func phone(_ server: TestServer) async throws -> Phone {
        let phone = try await Phone.registered(in: server)
        _ = try await phone.assertion(try await phone.logIn())
        return phone
    }

    private func end(_ phone: Phone, _ server: TestServer) async throws {
        try await server.parts.revocation.revoke(
            .virtual(Ancestor(.instance, phone.clientID)), by: AuditActor(name: "admin:root"))
    }

    private func send(_ server: TestServer) async throws {
        for _ in 0..<3 {
            try await server.sendEvents()
            server.time.advance(1)
        }
    }

    private func waiting(_ server: TestServer) async throws -> Int {
        try await server.database.value("select count(*) from delivery where acknowledged < last")
    }

    private func move(_ server: TestServer, to base: String) async throws {
        let address = try #require(WebAddress(base))
        try await server.database.transaction {
            try await ServiceIndex(clock: server.time.clock).rebase("learn", to: address, in: $0)
        }
    }

    @Test(
        "a stream comes before whatever else a service hears by; without it that is back",
        arguments: [Hearing.Wish.push, .poll, .revoke])
    func first(way: Hearing.Wish) async throws {
        try await TestServer.with { server in
            try await hear(way, server)
            let receiver = Receiver(server), id = try await receiver.create(pushed: true)
            try await end(try await phone(server), server)
            try await send(server)
            #expect(server.wire.pushes.map(\.url) == [Receiver.push] && server.wire.forms.isEmpty)

            let polled: JSONValue = ["stream_id": .string(id), "delivery": ["method": "urn:ietf:rfc:8936"]]
            #expect(try await receiver.send(.patch, "/ssf/stream", polled).status == 200)
            try await end(try await phone(server), server)
            try await send(server)
            #expect(server.wire.pushes.count == 1 && server.wire.forms.isEmpty, "it is polled")

            #expect(try await receiver.send(.delete, "/ssf/stream?stream_id=\(id)").status == 204)
            try await send(server)
            let native = server.wire.pushes.dropFirst().map(\.url)
            #expect(native == (way == .push ? [ServerParts.base + "/events"] : []))
            #expect(server.wire.forms.map(\.url) == (way == .revoke ? [Self.endpoint] : []))
            #expect(try await waiting(server) == (way == .poll ? 1 : 0))
        }
    }

    @Test(
        "what only a stream tells goes with it, and holds up nothing that comes behind it",
        arguments: [Hearing.Wish.poll, .revoke])
    func forgotten(way: Hearing.Wish) async throws {
        try await TestServer.with { server in
            try await hear(way, server)
            let receiver = Receiver(server), id = try await receiver.create()
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.assertion(try await phone.logIn(as: ada.username))
            _ = try await AccountStore(clock: server.time.clock).setStatus(ada.id, .suspended, in: server.database)
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            #expect(try await server.database.value("select count(*) from outbox") == 2)
            // Natively nobody reads them, by whatever way.
            let stored = try await receiver.send(.get, "/events?after=0")
            #expect(stored.status == 200 && Receiver.tokens(stored).isEmpty && stored.json["latest"] == 2)
            let polled = try await receiver.post("/events/poll", ["returnImmediately": true])
            #expect(Receiver.types(polled).allSatisfy { $0 == "urn:pando:event:heartbeat" })
            try await receiver.set(id, to: "disabled")
            #expect(try await server.database.value("select count(*) from outbox") == 0)
            #expect(try await waiting(server) == 0)

            try await end(phone, server)
            try await send(server)
            let calls = try server.wire.forms.compactMap { try FormCodec.read(Array($0.body.utf8))["token_type_hint"] }
            #expect(calls == (way == .revoke ? ["jti"] : []) && server.wire.pushes.isEmpty)
            let waiting = try await receiver.post("/events/poll", ["returnImmediately": true])
            #expect(Receiver.types(waiting).filter { $0.hasSuffix(":ended") }.count == (way == .revoke ? 0 : 1))
        }
    }

    @Test("what only a stream tells is forgotten an hour after it was taken; other events are kept")
    func purged() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            try await end(try await phone(server), server)
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            let jtis = Receiver.tokens(try await receiver.poll(id)).compactMap { claims(of: $0)["jti"]?.string }
            _ = try await receiver.poll(id, ["ack": JSONValue(strings: jtis)])
            try await server.parts.composition.eventPurge.forget()
            #expect(jtis.count == 2)
            #expect(try await server.database.value("select count(*) from outbox") == 2)
            server.time.advance(3_601)
            try await server.parts.composition.eventPurge.forget()
            #expect(try await server.database.value("select string_agg(event, ' ') from outbox") == "ended")
        }
    }

    @Test("who moves has a pushed stream disabled, until it names an address below the new base")
    func moved() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create(pushed: true, header: "Bearer s3cret")
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            let base = "https://moved.example.org/learn"
            try await move(server, to: base)
            #expect(try await receiver.send(.get, "/ssf/status?stream_id=\(id)")["status"] == "disabled")
            #expect(try await server.database.value("select count(*) from outbox") == 0)

            for status in ["enabled", "paused"] {
                let reply = try await receiver.post(
                    "/ssf/status", ["stream_id": .string(id), "status": .string(status)])
                #expect(reply.outcome == "400 invalid_request", "\(status)")
            }
            let learn = try #require(
                try await ServiceIndex(clock: server.time.clock).find("learn", in: server.database))
            let operation = StreamOperation(server.parts.composition.streams)
            await #expect(throws: ServiceIndex.Refused.self) {
                try await server.database.atomically {
                    try await operation.set(learn, to: .enabled, because: nil, in: $0)
                }
            }
            let delivery: JSONValue = [
                "method": "urn:ietf:rfc:8935", "endpoint_url": .string(base + "/signals"),
            ]
            let changed = try await receiver.send(
                .patch, "/ssf/stream", ["stream_id": .string(id), "delivery": delivery])
            #expect(changed.status == 200 && changed["aud"] == base)
            try await receiver.set(id, to: "enabled")
            server.time.advance(60)
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            try await send(server)
            #expect(server.wire.pushes.map(\.url) == [base + "/signals"])
            #expect(server.wire.pushes.allSatisfy { $0.authorization == nil }, "the header went with its address")
        }
    }

    @Test("texts are counted as the database counts them: too long is 400")
    func counted() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            let flags: JSONValue = .string(String(repeating: "\u{1F1FA}\u{1F1F3}", count: 400))
            let named: JSONObject = ["stream_id": .string(id)]
            #expect(
                try await receiver.send(.patch, "/ssf/stream", .object(named.with(["description": flags]))).outcome
                    == "400 invalid_request")
            let status: JSONObject = ["status": "paused", "reason": flags]
            #expect(
                try await receiver.post("/ssf/status", .object(named.with(status))).outcome == "400 invalid_request")
        }
    }
}
