import Base
import Database
import Federation
import Foundation
import HTTP
import TestSupport
import Testing
import TokenTree
import Vocabulary

@testable import Server

@Suite("RFC 7009: calls that are refused, or cannot be made, keep no other waiting")
struct RevocationCallOrderTests {
    private func with(
        patience: TimeInterval = 7 * 86_400, counting registry: PrometheusRegistry = PrometheusRegistry(),
        _ body: @Sendable (TestServer, EventSender) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let index = ServiceIndex(clock: server.time.clock)
            try await server.database.transaction { transaction in
                _ = try await index.update(
                    "quiet",
                    ServiceChange(notify: .revoke, revocationEndpoint: .some("https://quiet.example.org/revoke")),
                    in: transaction)
            }
            server.time.advance(60)
            let wire = server.wire
            let sender = EventSender(
                database: server.database, keys: server.parts.keys, issuer: ServerParts.root, patience: patience,
                push: { _, _ in (202, []) },
                call: { url, form in
                    let receipt = try await wire.post(form, to: url)
                    return CallAnswer(status: receipt.status, retryAfter: nil)
                }, clock: server.time.clock, databaseClock: .following(server.time.clock), randomness: .system,
                metrics: registry,
                logger: .quiet)
            try await body(server, sender)
        }
    }

    /// A phone with one assertion for `quiet`, and that one's `jti`.
    private func phone(_ server: TestServer) async throws -> (Phone, String) {
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
        let assertion = try await phone.assertion(pat, for: Residents.quietBase)
        return (phone, try #require(claims(of: assertion)["jti"]?.string))
    }

    private func revoke(_ server: TestServer, _ phone: Phone) async throws {
        try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
    }

    private func send(_ server: TestServer, _ sender: EventSender, rounds: Int) async throws {
        for _ in 0..<rounds {
            try await sender.sendDue()
            server.time.advance(1)
        }
    }

    private func taken(_ server: TestServer) throws -> Set<String> {
        Set(
            try server.wire.forms.filter { $0.status == 200 }.compactMap {
                try FormCodec.read(Array($0.body.utf8))["token"]
            })
    }

    @Test("an event of which a call is refused lets those behind it pass, and dies of its own patience")
    func passed() async throws {
        try await with { server, sender in
            let (bad, refused) = try await phone(server), (good, told) = try await phone(server)
            server.wire.answerForms { OutgoingHTTP.Receipt(status: $0.contains(refused) ? 400 : 200) }
            try await revoke(server, bad)
            try await send(server, sender, rounds: 3)
            try await revoke(server, good)
            server.time.advance(300)
            try await send(server, sender, rounds: 3)

            #expect(try taken(server) == [told])
            let seq: Int = try await server.database.value(
                "select seq from outbox where service = 'quiet' and settled_at is null")
            #expect(seq == 1)
            server.time.advance(7 * 86_400)
            try await send(server, sender, rounds: 3)
            let error: String = try await server.database.value("select error from outbox where seq = 1")
            #expect(error.contains("400"))
        }
    }

    @Test(
        "each call is counted once, by what came of it",
        arguments: [(200, "taken"), (400, "refused"), (503, "later"), (0, "unanswered")])
    func counted(_ status: Int, _ outcome: String) async throws {
        struct Away: Error {}
        let registry = PrometheusRegistry()
        try await with(counting: registry) { server, sender in
            let (phone, _) = try await phone(server)
            server.wire.answerForms { _ in
                guard status > 0 else { throw Away() }
                return OutgoingHTTP.Receipt(status: status)
            }
            #expect(!registry.page.contains("pando_revocation_calls_total{"))
            try await revoke(server, phone)
            try await sender.sendDue()

            let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_revocation_calls_total{") }
            let name = #"pando_revocation_calls_total{outcome="\#(outcome)"} "#
            #expect(lines.count == 1 && lines.first?.hasPrefix(name) == true, "\(lines)")
            #expect(lines.first.flatMap { Double($0.dropFirst(name.count)) } == 1, "\(lines)")
        }
    }

    @Test("while calls are taken nothing is given up, however short the patience")
    func patient() async throws {
        try await with(patience: 60) { server, sender in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for _ in 0..<25 { _ = try await phone.assertion(pat, for: Residents.quietBase) }
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
            try await revoke(server, phone)
            for _ in 0..<2 {
                try await sender.sendDue()
                server.time.advance(50)
            }
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 503) }
            try await sender.sendDue()

            #expect(try taken(server).count == 20)
            let dead: Int = try await server.database.value("select count(*) from outbox where error is not null")
            #expect(dead == 0)
        }
    }

    @Test("an event of before there were calls is a dead letter, and none that is silently taken for done")
    func unknown() async throws {
        try await with { server, sender in
            server.wire.answerForms { _ in OutgoingHTTP.Receipt(status: 200) }
            let (phone, told) = try await phone(server)
            try await PollingService.tell(server, ["quiet"])
            try await server.database.execute("update outbox set node = null")
            try await revoke(server, phone)
            try await send(server, sender, rounds: 4)

            #expect(try taken(server) == [told])
            let error: String = try await server.database.value("select error from outbox where seq = 1")
            #expect(error.contains("by hand"))
            let waiting: Int = try await server.database.value("select count(*) from outbox where settled_at is null")
            #expect(waiting == 0)
        }
    }
}
