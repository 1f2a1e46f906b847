import Base
import Database
import Federation
import Foundation
import HTTP
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("How a service hears")
struct HearingTests {
    private static let endpoint = "https://quiet.example.org/revoke"

    @discardableResult
    private func update(
        _ server: TestServer, _ service: String, _ change: ServiceChange
    ) async throws -> FederationService {
        let index = ServiceIndex(clock: server.time.clock)
        return try await server.database.transaction { try await index.update(service, change, in: $0) }
    }

    private func hearing(_ server: TestServer, _ service: String) async throws -> ServiceHearing {
        let index = ServiceIndex(clock: server.time.clock)
        return try #require(try await index.find(service, in: server.database)).hearing
    }

    private func probe(_ server: TestServer) async throws {
        _ = try await server.parts.composition.hearingProbe.sendDue()
    }

    @Test("one whose events endpoint takes a verification event is pushed to")
    func taken() async throws {
        try await TestServer.with { server in
            try await update(server, "learn", ServiceChange(notify: .auto))
            try await probe(server)

            let push = try #require(server.wire.pushes.first), claims = claims(of: push.body)
            #expect(push.url == ServerParts.base + "/events" && push.status == 202)
            #expect(claims["aud"] == .string(ServerParts.base) && claims["sub_id"]?["format"] == "opaque")
            let event = claims["events"]?["https://schemas.openid.net/secevent/ssf/event-type/verification"]
            #expect(event?["state"]?.string?.isEmpty == false)
            let hearing = try await hearing(server, "learn")
            #expect(hearing.way == .push && hearing.wish == .auto && hearing.because?.contains("took") == true)
            #expect(try await server.database.value("select count(*) from service_probe") == 0)
        }
    }

    @Test("one that takes none is called where it names an endpoint for that, and polls otherwise")
    func refused() async throws {
        try await TestServer.with { server in
            try await update(server, "quiet", ServiceChange(notify: .auto))
            try await probe(server)
            #expect(try await hearing(server, "quiet").way == .poll)

            server.time.advance(100)
            try await update(server, "quiet", ServiceChange(revocationEndpoint: .some(Self.endpoint)))
            try await probe(server)

            let hearing = try await hearing(server, "quiet")
            #expect(hearing.way == .revoke && hearing.since == server.time.now)
            #expect(hearing.revocationEndpoint == Self.endpoint && hearing.because?.contains("404") == true)
            try await update(server, "quiet", ServiceChange(revocationEndpoint: .some(nil)))
            try await probe(server)
            #expect(try await self.hearing(server, "quiet").way == .poll)
        }
    }

    @Test("one that does not answer is asked again; another way is used in the meantime")
    func away() async throws {
        try await TestServer.with { server in
            try await server.database.execute("update service set hears = null where id = 'learn'")
            try await update(server, "learn", ServiceChange(notify: .auto))
            server.wire.refusePushes(503)
            for attempt in 1...4 {
                try await probe(server)
                #expect(server.wire.pushes.count == attempt)
                server.time.advance(100)
            }
            #expect(try await hearing(server, "learn").way == nil)
            try await probe(server)
            #expect(try await hearing(server, "learn").way == .poll)

            server.wire.refusePushes(nil)
            server.time.advance(3_600)
            try await probe(server)

            #expect(try await hearing(server, "learn").way == .push)
        }
    }

    @Test(
        "a page that answers whatever is posted is no receiver of events",
        arguments: [(200, "<html>", Hearing.poll), (200, "", .push), (204, "", .push), (202, "taken", .push)])
    func page(_ status: Int, _ body: String, _ way: Hearing) async throws {
        try await TestServer.with { server in
            try await update(server, "quiet", ServiceChange(notify: .auto))
            let probe = HearingProbe(
                database: server.database, keys: server.parts.keys, issuer: ServerParts.root,
                push: { _, _ in (status, Array(body.utf8)) }, clock: server.time.clock, randomness: .system,
                logger: .quiet)

            try await probe.sendDue()

            #expect(try await hearing(server, "quiet").way == way)
        }
    }

    @Test("one that was pushed to is given some hours in which it does not answer, with its pushes tried")
    func restarted() async throws {
        try await TestServer.with { server in
            try await update(server, "learn", ServiceChange(notify: .auto))
            server.wire.refusePushes(503)
            for attempt in 1...11 {
                try await probe(server)
                #expect(server.wire.pushes.count == attempt)
                server.time.advance(7_201)
            }
            #expect(try await hearing(server, "learn").way == .push)
            try await probe(server)
            #expect(try await hearing(server, "learn").way == .poll)
        }
    }

    @Test("approving a service asks it; what an operator has said is not asked")
    func approved() async throws {
        try await TestServer.with { server in
            let index = ServiceIndex(clock: server.time.clock)
            try await server.database.execute("update service set status = 'suspended', notify = 'auto', hears = null")
            _ = try await index.move("learn", to: .active, in: server.database)
            _ = try await index.move("quiet", to: .active, in: server.database)
            try await update(server, "quiet", ServiceChange(notify: .poll))
            try await probe(server)

            #expect(server.wire.pushes.map(\.url) == [ServerParts.base + "/events"])
            #expect(try await hearing(server, "learn").way == .push)
            #expect(try await hearing(server, "quiet").way == .poll)
        }
    }

    @Test("nothing is pushed to one that polls, and nobody calls it; its events wait")
    func polls() async throws {
        try await TestServer.with { server in
            try await update(server, "learn", ServiceChange(notify: .poll))
            let phone = try await Phone.registered(in: server)
            _ = try await phone.joinService()
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)

            try await server.sendEvents()

            #expect(server.wire.pushes.isEmpty && server.wire.forms.isEmpty)
            #expect(try await server.database.value("select count(*) from outbox where settled_at is null") == 1)
            try await update(server, "learn", ServiceChange(notify: .push))
            try await server.sendEvents()
            #expect(server.wire.pushes.map(\.status) == [202])
        }
    }

    @Test("calls without an endpoint are none: then the service polls until its document names one")
    func uncallable() async throws {
        try await TestServer.with { server in
            let changed = try await update(server, "quiet", ServiceChange(notify: .revoke))
            #expect(changed.hearing.way == .poll && changed.hearing.because?.contains("no revocation endpoint") == true)

            try await server.database.execute(
                "update service set revocation_endpoint = \(Self.endpoint) where id = 'quiet'")
            _ = try await server.database.query(Hearing.ask("s.id = 'quiet'", at: server.time.now))
            try await probe(server)

            #expect(try await hearing(server, "quiet").way == .revoke)
            #expect(server.wire.pushes.isEmpty)
        }
    }

    @Test("what is shown of a service says how it hears, since when, and why")
    func shown() async throws {
        try await TestServer.with { server in
            let json = try await update(server, "quiet", ServiceChange(notify: .poll)).json(authMethod: "none")
            #expect(json["notify"] == "poll" && json["hears"] == "poll")
            #expect(json["hears_since"] == .string(server.time.now.rfc3339))
            #expect(json["hears_because"] == "the operator has said so")
            let status = try #require(
                try await Outbox.status(service: "quiet", at: server.time.now, in: server.database).first)
            #expect(status["hears"] == "poll" && status["calls_left"] == .null)
        }
    }
}
