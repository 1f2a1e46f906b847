import Base
import Database
import Federation
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("Stored events: the newest number, since when, and an answer that waits")
struct StoredEventTests {
    private func with(_ body: @Sendable (PollingService) async throws -> Void) async throws {
        try await TestServer.with { server in
            try await body(PollingService(server: server, client: server.residents.learn))
        }
    }

    private func ask(_ service: PollingService, _ query: String, wait: String? = nil) async throws -> Reply {
        var headers = service.basic
        headers[.prefer] = wait
        return try await service.server.get("/events?\(query)", headers: headers)
    }

    @Test("latest is the highest number that was given, also where nothing or not all is told")
    func latest() async throws {
        try await with { service in
            #expect(try await ask(service, "").json["latest"] == 0)
            try await PollingService.tell(service.server, times: 5)

            let page = try await ask(service, "after=1&limit=2"), rest = try await ask(service, "after=5")

            #expect(page.sequence == [2, 3] && page.json["latest"] == 5 && page.json["moreAvailable"] == true)
            #expect(rest.sequence.isEmpty && rest.json["latest"] == 5 && rest.json["moreAvailable"] == false)
            #expect(rest[header: "Cache-Control"] == "no-store" && rest[header: "Preference-Applied"] == nil)
        }
    }

    @Test("since leaves out what was made before, and the limit goes up to 1,000")
    func since() async throws {
        try await with { service in
            try await PollingService.tell(service.server, times: 2)
            service.server.time.advance(100)
            let now = service.server.now
            try await PollingService.tell(service.server)

            #expect(try await ask(service, "since=\(now)&limit=1000").sequence == [3])
            #expect(try await ask(service, "since=\(now)&after=3").sequence.isEmpty)
            #expect(try await ask(service, "since=\(now + 1)").json["latest"] == 3)
            #expect(try await ask(service, "since=0").sequence == [1, 2, 3])
        }
    }

    @Test("since finds what waited long for its number, and passes over hours that lie before")
    func sinceInDisorder() async throws {
        try await with { service in
            try await PollingService.tell(service.server, times: 2)
            service.server.time.advance(7_200)
            let now = service.server.now
            try await PollingService.tell(service.server, times: 3)
            _ = try await service.server.database.execute(
                "update outbox set created_at = created_at - interval '800 s' where seq = 4")

            #expect(try await ask(service, "since=\(now)").sequence == [3, 5])
            #expect(try await ask(service, "since=\(now - 800)").sequence == [3, 4, 5])
        }
    }

    @Test("with Prefer: wait the answer is held until there is an event above after; beyond the places it is not")
    func waits() async throws {
        try await TestServer.with(connections: 2) { server in
            let service = PollingService(server: server, client: server.residents.learn)
            try await PollingService.tell(server)

            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                group.addTask { try await ask(service, "after=1", wait: "wait=600") }
                group.addTask { try await ask(service, "after=1", wait: "wait=20") }
                try await Task.sleep(for: .milliseconds(300))
                let beyond = try await ask(service, "after=1", wait: "wait=20")
                #expect(beyond.sequence.isEmpty && beyond[header: "Preference-Applied"] == nil)
                try await PollingService.tell(server)
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(replies.map(\.sequence) == [[2], [2]])
            #expect(Set(replies.map { $0[header: "Preference-Applied"] }) == ["wait=30", "wait=20"])
        }
    }

    @Test("nothing is waited for where there is something, where numbers went back, or for no second")
    func atOnce() async throws {
        try await with { service in
            try await PollingService.tell(service.server)
            let begun = ContinuousClock.now

            let some = try await ask(service, "after=0", wait: "wait=30"),
                back = try await ask(service, "after=9", wait: "wait=30"),
                none = try await ask(service, "after=1", wait: "wait=0"),
                odd = try await ask(service, "after=1", wait: "wait=soon")

            #expect(ContinuousClock.now - begun < .seconds(20))
            #expect(some.sequence == [1] && some[header: "Preference-Applied"] == "wait=30")
            #expect(back.sequence.isEmpty && back.json["latest"] == 1)
            #expect(none.sequence.isEmpty && odd[header: "Preference-Applied"] == nil)
        }
    }

    @Test("after a restored backup numbers go on above all that were ever given, and every service is told")
    func restart() async throws {
        try await with { service in
            let server = service.server, phone = try await Phone.registered(in: server)
            let joined = try await phone.joinService()
            // The service has heard more than the backup knows of.
            try await server.database.execute(
                """
                insert into event_received (realm, issuer, seq, at)
                values ('learn', \(ServerParts.root), 40, \(server.time.now))
                on conflict (realm, issuer) do update set seq = 40
                """)
            try await server.database.execute("delete from reach where service = 'learn'")

            try await server.database.transaction { transaction in
                try await EventRestart.prepare(at: server.time.now, in: transaction)
                _ = try await Epoch.bump(
                    by: .server, revocation: server.parts.revocation, at: server.time.now, in: transaction)
            }
            let asked = try await ask(service, "after=40")
            try await server.sendEvents()

            let number = Int(server.time.now.timeIntervalSince1970 * 1_000) + 1
            #expect(asked.sequence == [number] && asked.json["latest"] == .integer(number))
            #expect(try await phone.authorizeApp(joined).outcome == "401 invalid_token")
            let position: Int = try await server.database.value(
                "select seq from event_received where realm = 'learn'")
            #expect(position == number, "what was left out keeps nothing up")
        }
    }

    @Test("a service whose issuer writes elsewhere takes what comes after a gap, but has not heard of all")
    func elsewhere() async throws {
        try await TestServer.with(options: TestServerOptions(failClosed: 120)) { server in
            func push(_ events: JSONObject) async throws -> Int {
                let token = try await server.parts.keys.sign(
                    type: "secevent+jwt",
                    claims: [
                        "iss": .string(ServerParts.root), "aud": .string(ServerParts.base), "jti": "x",
                        "iat": .integer(server.now), "events": .object(events),
                    ])
                return try await server.send(
                    .post, "/services/learn/events", headers: [.contentType: "application/secevent+jwt"],
                    body: Array(token.utf8)
                ).status
            }
            func heard() async throws -> (seq: Int, asOf: Date?) {
                let rows = try await server.database.query(
                    "select seq, as_of from event_received where realm = 'learn'")
                let row = try #require(rows.first)
                return (try row("seq"), try row("as_of"))
            }
            for seq in [Int.max, Int.min, -1, 1 << 53 + 1] {
                #expect(try await push(["urn:pando:event:ended": ["node": "a", "seq": .integer(seq)]]) == 400)
                #expect(try await push(["urn:pando:event:heartbeat": ["seq": .integer(seq)]]) == 400)
            }
            #expect(try await push(["urn:pando:event:ended": ["node": "a", "seq": 1]]) == 202)
            let before = try await heard()
            server.time.advance(60)

            #expect(try await push(["urn:pando:event:ended": ["node": "b", "seq": 7]]) == 202)
            #expect(try await push(["urn:pando:event:heartbeat": ["seq": 9]]) == 202)
            #expect(try await push(["urn:pando:event:ended": ["node": "c", "seq": 8]]) == 202)

            let after = try await heard()
            #expect(before.seq == 1 && after.seq == 1 && after.asOf == before.asOf)
            let ended: Int = try await server.database.value(
                "select count(*) from revocation where label in ('foreign:a', 'foreign:b', 'foreign:c')")
            #expect(ended == 3)
        }
    }
}
