import Base
import Database
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// A service of the tests that asks the IdP as itself.
struct PollingService: Sendable {
    let server: TestServer
    let client: (id: String, secret: String)

    var basic: HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    func poll(_ body: JSONObject = [:], headers: HTTPFields? = nil) async throws -> Reply {
        try await server.post("/events/poll", json: .object(body), headers: headers ?? basic)
    }

    /// One that does not wait.
    func look(_ body: JSONObject = [:]) async throws -> Reply {
        var body = body
        body["returnImmediately"] = true
        return try await poll(body)
    }

    /// Tells `learn` that something has ended, without a phone behind it.
    static func tell(_ server: TestServer, _ services: [String] = ["learn"], times: Int = 1) async throws {
        for _ in 0..<times {
            try await server.parts.composition.outbox.ended(
                NodeID(endless: .system), services: services, in: server.database)
        }
    }
}

extension Reply {
    /// Numbers of the events in `sets`, sorted.
    var sequence: [Int] {
        (json["sets"]?.object?.members ?? []).compactMap { _, token in
            claims(of: token.string ?? "")["events"]?["urn:pando:event:ended"]?["seq"]?.integer
        }.sorted()
    }

    var identifiers: [String] { json["sets"]?.object?.names ?? [] }
}

@Suite("RFC 8936: services poll for events")
struct EventPollTests {
    private func with(_ body: @Sendable (PollingService) async throws -> Void) async throws {
        try await TestServer.with { server in
            try await body(PollingService(server: server, client: server.residents.learn))
        }
    }

    private func waiting(_ server: TestServer) async throws -> Int {
        try await server.database.value("select count(*) from outbox where settled_at is null")
    }

    @Test("a poll gives what waits, each a token of its own, and again until it is acknowledged")
    func given() async throws {
        try await with { service in
            try await PollingService.tell(service.server, times: 3)

            let first = try await service.look(), again = try await service.look()
            let settled = try await service.look(["ack": JSONValue(strings: first.identifiers)])

            #expect(first.status == 200 && first.sequence == [1, 2, 3] && first.json["moreAvailable"] == false)
            #expect(again.identifiers == first.identifiers)
            let token = try #require(first.json["sets"]?[first.identifiers[0]]?.string)
            #expect(claims(of: token)["aud"] == .string(ServerParts.base))
            #expect(claims(of: token)["jti"] == .string(first.identifiers[0]))
            #expect(settled.sequence.isEmpty)
            #expect(try await waiting(service.server) == 0)
            try await service.server.sendEvents()
            #expect(service.server.wire.pushes.isEmpty, "what was acknowledged by a poll is not pushed")
        }
    }

    @Test("what is acknowledged out of order is settled, and the others wait and are pushed in their order")
    func outOfOrder() async throws {
        try await with { service in
            let server = service.server
            try await PollingService.tell(server, times: 4)
            let names = try await service.look().identifiers

            let left = try await service.look(["ack": JSONValue(strings: [names[1], names[3], "unknown"])])
            let acknowledged: Int = try await server.database.value(
                "select acknowledged from delivery where service = 'learn'")
            try await server.sendEvents()

            #expect(left.sequence == [1, 3])
            #expect(acknowledged == 0, "the low-water mark is before the first that waits")
            #expect(server.wire.pushes.count == 2)
            #expect(
                try await server.database.value("select acknowledged from delivery where service = 'learn'") == 4)
        }
    }

    @Test("maxEvents bounds an answer, which says that there is more; 0 only acknowledges")
    func bounded() async throws {
        try await with { service in
            try await PollingService.tell(service.server, times: 3)

            let two = try await service.poll(["maxEvents": 2])
            let none = try await service.poll(["maxEvents": 0, "ack": JSONValue(strings: two.identifiers)])
            let last = try await service.poll(["maxEvents": 2])

            #expect(two.sequence == [1, 2] && two.json["moreAvailable"] == true)
            #expect(none.identifiers.isEmpty && none.json["moreAvailable"] == true)
            #expect(last.sequence == [3] && last.json["moreAvailable"] == false)
        }
    }

    @Test("an event that its receiver calls wrong is a dead letter at once, with no more than 500 characters of why")
    func wrong() async throws {
        try await with { service in
            let server = service.server
            try await PollingService.tell(server, times: 2)
            let names = try await service.look().identifiers
            let text = String(repeating: "é", count: 2_000)

            let rest = try await service.look(
                ["setErrs": .object([names[0]: ["err": "jwtAud", "description": .string(text)]])])
            let dead = try await DeadEvents.list("learn", after: 0, limit: 10, in: server.database)

            #expect(rest.sequence == [2])
            #expect(dead.count == 1 && dead[0]["jti"] == .string(names[0]))
            #expect(dead[0]["error"]?.string?.hasPrefix("jwtAud: éé") == true)
            #expect(dead[0]["error"]?.string?.count == 500)
        }
    }

    @Test("an empty poll waits for the next event, and holds no connection to the database meanwhile")
    func waits() async throws {
        try await TestServer.with(connections: 2) { server in
            let learn = PollingService(server: server, client: server.residents.learn),
                quiet = PollingService(server: server, client: server.residents.quiet)

            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for service in [learn, learn, quiet, quiet] { group.addTask { try await service.poll() } }
                try await Task.sleep(for: .milliseconds(300))
                let beyond = try await learn.poll()
                #expect(beyond.status == 200 && beyond.sequence.isEmpty, "a third one is answered at once")
                try await PollingService.tell(server, ["learn", "quiet"])
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(replies.map(\.sequence) == [[1], [1], [1], [1]])
        }
    }

    @Test("an empty answer has a heartbeat where the last one is old; acknowledging it is harmless")
    func heartbeat() async throws {
        try await with { service in
            let server = service.server, now = server.now

            let first = try await service.look(), second = try await service.look()
            server.time.advance(61)
            let third = try await service.look(["ack": JSONValue(strings: first.identifiers)])

            let token = try #require(first.json["sets"]?[first.identifiers.first ?? ""]?.string)
            #expect(claims(of: token)["events"]?["urn:pando:event:heartbeat"] == ["seq": 0])
            #expect(claims(of: token)["iat"] == .integer(now))
            #expect(second.identifiers.isEmpty && third.identifiers.count == 1)
        }
    }

    @Test("only a service may poll, and sees its own events alone")
    func callers() async throws {
        try await with { service in
            let server = service.server
            try await PollingService.tell(server)
            let quiet = PollingService(server: server, client: server.residents.quiet)
            let machine = PollingService(server: server, client: server.residents.machine)
            let forged = PollingService(server: server, client: (server.residents.learn.id, "wrong"))
            let learned = try await service.look().identifiers

            let nobody = try await server.post("/events/poll", json: [:])
            #expect(nobody.outcome == "401 invalid_client" && nobody[header: "WWW-Authenticate"] != nil)
            #expect(try await forged.look().outcome == "401 invalid_client")
            #expect(try await machine.look().outcome == "401 invalid_client")
            #expect(try await quiet.look(["ack": JSONValue(strings: learned)]).sequence.isEmpty)
            #expect(try await waiting(server) == 1, "another service's acknowledgement settles nothing")
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let person = try await service.poll(headers: phone.dpop(.post, "/events/poll", token: pat.accessToken))
            #expect(person.outcome == "403 insufficient_scope")
        }
    }

    @Test("a token of the service's client with scope events will do; of others it cannot be had")
    func bearer() async throws {
        try await with { service in
            let server = service.server
            func token(_ scope: String?, _ client: (id: String, secret: String)) async throws -> Reply {
                let basic = PollingService(server: server, client: client).basic
                return try await server.post(
                    "/token", ["grant_type": "client_credentials", "scope": scope], headers: basic)
            }
            let events = try await token("events", server.residents.learn)
            let other = try await token("read", server.residents.learn)

            func poll(_ token: Reply) async throws -> Reply {
                try await service.poll(
                    ["returnImmediately": true], headers: [.authorization: "Bearer \(token.accessToken)"])
            }
            #expect(try await poll(events).status == 200)
            #expect(try await poll(other).outcome == "403 insufficient_scope")
            #expect(try await token("events", server.residents.machine).outcome == "400 invalid_scope")
            #expect(try await token("events admin", server.residents.learn).outcome == "400 invalid_scope")
        }
    }

    @Test(
        "what is no poll is refused and settles nothing",
        arguments: [
            #"[]"#, #"{"maxEvents": -1}"#, #"{"maxEvents": "1"}"#, #"{"maxEvents": 1.5}"#, #"{"ack": "x"}"#,
            #"{"ack": [1]}"#, #"{"setErrs": ["x"]}"#, #"{"setErrs": {"x": {}}}"#, #"{"setErrs": {"x": "y"}}"#,
            #"{"returnImmediately": "yes"}"#, "{\"ack\": [\"\\u0000\"]}", #"{"ack": ["a"], "ack": ["b"]}"#, "{",
        ])
    func hostile(_ body: String) async throws {
        try await with { service in
            try await PollingService.tell(service.server)
            var headers = service.basic
            headers[.contentType] = "application/json"

            let reply = try await service.server.send(
                .post, "/events/poll", headers: headers, body: Array(body.utf8))

            #expect(reply.outcome == "400 invalid_request", "\(reply.body)")
            #expect(try await waiting(service.server) == 1)
        }
    }

    @Test("a form is no poll, and without the database a poll is to be tried again")
    func unavailable() async throws {
        try await with { service in
            let form = try await service.server.post("/events/poll", ["ack": "x"], headers: service.basic)
            #expect(form.outcome == "415 unsupported_media_type")

            try await service.server.withoutDatabase { away in
                let reply = try await PollingService(server: away, client: service.client).look()
                #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil)
            }
        }
    }
}
