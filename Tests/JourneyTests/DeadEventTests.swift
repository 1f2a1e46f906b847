import Base
import Database
import Federation
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("events that are given up")
struct DeadEventTests {
    private static let patience: TimeInterval = 7 * 86_400

    private func dead(_ server: TestServer) async throws -> [JSONObject] {
        try await DeadEvents.list("learn", after: 0, limit: 10, in: server.database)
    }

    private func retry(_ server: TestServer, _ jti: String? = nil) async throws -> [String] {
        try await server.database.transaction {
            try await DeadEvents.retry("learn", jti: jti, at: server.time.now, in: $0)
        }
    }

    @Test("an event is tried for seven days, and what says the receiver is told")
    func patience() async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute(
                "update service set events_endpoint = base || '/nowhere' where id = 'learn'")
            try await PollingService.tell(server)

            try await server.sendEvents()
            let error: String = try await server.database.value(
                "select last_error from delivery where service = 'learn'")
            #expect(error == "HTTP status 404")
            #expect(try await dead(server).isEmpty)
            server.time.advance(Self.patience)
            try await server.sendEvents()

            let letters = try await dead(server)
            #expect(letters.count == 1 && letters[0]["seq"] == 1 && letters[0]["error"] == "HTTP status 404")
            let status = try await Outbox.status(service: "learn", at: server.time.now, in: server.database)
            #expect(status.first?["dead"] == 1 && status.first?["lag_s"] == 0)
        }
    }

    @Test("a process whose clock alone says that it was tried for so long gives up nothing")
    func ahead() async throws {
        try await TestServer.with { server in
            try await PollingService.tell(server, times: 2)
            let ahead = WallClock { server.time.now + 400 * 86_400 }
            for (theirs, given) in [(server.time.clock, 0), (ahead, 2)] {
                let sender = EventSender(
                    database: server.database, keys: server.parts.keys, issuer: ServerParts.root,
                    push: { _, _ in (500, []) }, call: { _, _ in CallAnswer(status: 500, retryAfter: nil) },
                    clock: ahead, databaseClock: .following(theirs), randomness: .system, logger: .quiet)
                try await sender.sendDue()
                #expect(try await dead(server).count == given)
                server.time.advance(600)
            }
        }
    }

    @Test("one that a receiver cannot take blocks the others no longer than that, and what is wrong is told")
    func poison() async throws {
        try await TestServer.with { server in
            try await PollingService.tell(server, times: 3)
            _ = try await server.database.execute(
                "update outbox set body = '{}' where service = 'learn' and seq = 1")

            try await server.sendEvents()
            let error: String = try await server.database.value(
                "select last_error from delivery where service = 'learn'")
            #expect(error == "HTTP status 400: invalid_request, urn:pando:event:ended has no node")
            server.time.advance(Self.patience)
            try await server.sendEvents()

            #expect(try await dead(server).map { $0["seq"] } == [1])
            #expect(server.wire.pushes.filter { $0.status == 202 }.count == 2)
            #expect(
                try await server.database.value("select count(*) from outbox where settled_at is null") == 0)
        }
    }

    @Test("where a receiver takes none for so long, all that are as old are given up at the second one's failure")
    func silence() async throws {
        try await TestServer.with { server in
            server.wire.refusePushes(500)
            try await PollingService.tell(server, times: 4)
            server.time.advance(Self.patience - 10)
            try await PollingService.tell(server)
            server.time.advance(10)

            try await server.sendEvents()

            #expect(try await dead(server).map { $0["seq"] } == [1, 2, 3, 4])
            #expect(server.wire.pushes.count == 2)
            #expect(
                try await server.database.value("select count(*) from outbox where settled_at is null") == 1,
                "the young one is still tried")
        }
    }

    @Test("a dead letter is sent again on an operator's word, with patience anew, or is forgotten")
    func again() async throws {
        try await TestServer.with { server in
            server.wire.refusePushes(500)
            try await PollingService.tell(server, times: 2)
            server.time.advance(Self.patience)
            try await server.sendEvents()
            let names = try await dead(server).compactMap { $0["jti"]?.string }
            #expect(names.count == 2)

            #expect(try await retry(server, "unknown").isEmpty)
            #expect(try await retry(server, names[0]) == [names[0]])
            try await server.sendEvents()
            #expect(try await dead(server).count == 1, "it failed once more, and is not given up for that")
            server.wire.refusePushes(nil)
            server.time.advance(60)
            try await server.sendEvents()
            #expect(server.wire.pushes.last?.status == 202)
            let dropped = try await server.database.transaction {
                try await DeadEvents.drop("learn", jti: nil, in: $0)
            }

            #expect(dropped == [names[1]])
            let (last, acknowledged): (Int, Int) = (
                try await server.database.value("select last from delivery where service = 'learn'"),
                try await server.database.value("select acknowledged from delivery where service = 'learn'")
            )
            #expect(last == 2 && acknowledged == 2)
        }
    }

    @Test("an acknowledgement that comes after all brings a dead letter back to the taken")
    func late() async throws {
        try await TestServer.with { server in
            server.wire.refusePushes(500)
            try await PollingService.tell(server)
            let service = PollingService(server: server, client: server.residents.learn)
            let names = try await service.look().identifiers
            server.time.advance(Self.patience)
            try await server.sendEvents()
            #expect(try await dead(server).count == 1)

            _ = try await service.look(["ack": JSONValue(strings: names)])

            #expect(try await dead(server).isEmpty)
        }
    }

    @Test("senders and polls that settle at once with new events lose none")
    func together() async throws {
        try await TestServer.with { server in
            let service = PollingService(server: server, client: server.residents.learn)

            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await PollingService.tell(server, times: 40) }
                group.addTask { for _ in 0..<20 { try await server.sendEvents() } }
                group.addTask {
                    for _ in 0..<20 {
                        let names = try await service.look(["maxEvents": 3]).identifiers
                        _ = try await service.look(["maxEvents": 0, "ack": JSONValue(strings: names)])
                    }
                }
                try await group.waitForAll()
            }
            try await server.sendEvents()

            let (last, acknowledged): (Int, Int) = (
                try await server.database.value("select last from delivery where service = 'learn'"),
                try await server.database.value("select acknowledged from delivery where service = 'learn'")
            )
            #expect(last == 40 && acknowledged == 40)
            #expect(
                try await server.database.value("select count(*) from outbox where settled_at is not null") == 40)
        }
    }
}
