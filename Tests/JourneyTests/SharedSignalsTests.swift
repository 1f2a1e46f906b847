import Base
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("OpenID Shared Signals Framework 1.0: a service and its stream")
struct SharedSignalsTests {
    @Test("the transmitter says where all of it is")
    func metadata() async throws {
        try await TestServer.with { server in
            let reply = try await server.get("/.well-known/ssf-configuration"), root = ServerParts.root
            #expect(reply.status == 200 && reply[header: "Content-Type"] == "application/json")
            #expect(reply["spec_version"] == "1_0" && reply["issuer"] == root && reply["default_subjects"] == "ALL")
            #expect(reply["jwks_uri"] == root + "/jwks.json" && reply["status_endpoint"] == root + "/ssf/status")
            #expect(reply.json["delivery_methods_supported"]?.strings == ["urn:ietf:rfc:8935", "urn:ietf:rfc:8936"])
            #expect(reply.json["authorization_schemes"] == [["spec_urn": "urn:ietf:rfc:6749"]])
        }
    }

    @Test("a stream is made, read, changed, replaced and deleted")
    func life() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server)
            #expect(try await receiver.send(.get, "/ssf/stream").json == [])

            let made = try await receiver.post(
                "/ssf/stream",
                ["events_requested": [.string(Receiver.revoked), "urn:example:unknown"], "description": "ours"])
            let id = made["stream_id"] ?? ""
            #expect(made.status == 201 && made["iss"] == ServerParts.root && made["aud"] == ServerParts.base)
            #expect(made[header: "Cache-Control"] == "no-store")
            #expect(made.json["events_delivered"]?.strings == [Receiver.revoked])
            #expect(made.json["events_supported"]?.strings == SignalType.supported.map(\.rawValue))
            #expect(made.json["delivery"]?["method"] == "urn:ietf:rfc:8936")
            #expect(made.json["delivery"]?["endpoint_url"] == .string("\(ServerParts.root)/ssf/poll/\(id)"))
            #expect(try await receiver.send(.get, "/ssf/stream?stream_id=\(id)").json == made.json)
            #expect(try await receiver.send(.get, "/ssf/stream").json == .array([made.json]))

            let changed = try await receiver.send(
                .patch, "/ssf/stream", ["stream_id": .string(id), "events_requested": [.string(Receiver.changed)]])
            #expect(changed.status == 200 && changed["description"] == "ours")
            #expect(changed.json["events_delivered"]?.strings == [Receiver.changed])
            let replaced = try await receiver.send(
                .put, "/ssf/stream",
                [
                    "stream_id": .string(id), "aud": .string(ServerParts.base),
                    "delivery": [
                        "method": "urn:ietf:rfc:8935", "endpoint_url": .string(Receiver.push),
                        "authorization_header": "Bearer secret",
                    ],
                ])
            #expect(replaced.status == 200 && replaced["description"] == nil)
            #expect(replaced.json["delivery"]?["endpoint_url"] == .string(Receiver.push))
            #expect(!replaced.body.contains("secret"), "it is never told back")
            #expect(
                try await server.database.value(
                    "select position('secret'::bytea in authorization_header) from event_stream") == Int32(0))

            #expect(try await receiver.send(.delete, "/ssf/stream?stream_id=\(id)").status == 204)
            #expect(try await receiver.send(.get, "/ssf/stream?stream_id=\(id)").outcome == "404 not_found")
            #expect(try await receiver.send(.get, "/ssf/stream").json == [])
        }
    }

    @Test("a second stream is 409, and the first stays as it is")
    func second() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create([Receiver.revoked])
            #expect(try await receiver.post("/ssf/stream", [:]).outcome == "409 invalid_request")
            let read = try await receiver.send(.get, "/ssf/stream?stream_id=\(id)")
            #expect(read.json["events_delivered"]?.strings == [Receiver.revoked])
        }
    }

    @Test("what a body says wrongly is 400, and nothing changes")
    func malformed() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create([Receiver.revoked])
            let before = try await receiver.send(.get, "/ssf/stream?stream_id=\(id)").json
            func push(_ url: String, _ header: JSONValue = .null) -> JSONValue {
                ["method": "urn:ietf:rfc:8935", "endpoint_url": .string(url), "authorization_header": header]
            }
            let wrong: [JSONObject] = [
                ["events_requested": "all"], ["events_requested": [1]], ["description": 7],
                ["events_requested": JSONValue(strings: (0..<101).map { "urn:example:\($0)" })],
                ["description": .string(String(repeating: "x", count: 501))], ["delivery": "push"],
                ["delivery": ["method": "urn:example:pigeon"]], ["delivery": ["method": "urn:ietf:rfc:8935"]],
                ["delivery": push("https://elsewhere.example.org/signals")], ["delivery": push(ServerParts.base)],
                ["delivery": push(ServerParts.base + "x/signals")], ["delivery": push(Receiver.push + "#part")],
                ["delivery": push(ServerParts.base + "/../learned")],
                ["delivery": push("http://user@localhost:8080/services/learn/signals")],
                ["delivery": push(Receiver.push, "Bearer a\r\nX: y")], ["delivery": push(Receiver.push, "")],
                ["delivery": push(Receiver.push, 1)], ["delivery": push("file:///etc/passwd")],
                ["aud": "https://elsewhere.example.org"], ["iss": "https://elsewhere.example.org"],
                ["events_delivered": [.string(Receiver.changed)]], ["min_verification_interval": 1],
                ["delivery": ["method": "urn:ietf:rfc:8936", "endpoint_url": "https://elsewhere.example.org"]],
            ]
            for body in wrong {
                for method in [HTTPRequest.Method.patch, .put] {
                    let reply = try await receiver.send(
                        method, "/ssf/stream", .object(body.with(["stream_id": .string(id)])))
                    #expect(reply.outcome == "400 invalid_request", "\(JSONValue.object(body).text): \(reply.body)")
                }
            }
            for body: JSONValue in [[], "x", ["stream_id": 1], ["stream_id": ""], [:]] {
                #expect(try await receiver.send(.patch, "/ssf/stream", body).outcome == "400 invalid_request")
                for path in ["/ssf/status", "/ssf/verify", "/ssf/subjects/add", "/ssf/subjects/remove"] {
                    #expect(try await receiver.post(path, body).outcome == "400 invalid_request", "\(path)")
                }
            }
            for path in ["/ssf/status", "/ssf/stream?stream_id=a&stream_id=b"] {
                #expect(try await receiver.send(.get, path).outcome == "400 invalid_request")
            }
            #expect(try await receiver.send(.delete, "/ssf/stream").outcome == "400 invalid_request")
            #expect(try await receiver.send(.get, "/ssf/stream?stream_id=\(id)").json == before)
        }
    }

    @Test("another service's stream is 404 wherever it is named, as is one that there is not")
    func foreign() async throws {
        try await TestServer.with { server in
            let mine = try await Receiver(server).create(), other = Receiver(server, as: server.residents.quiet)
            for id in [mine, "none", "x'; drop table event_stream; --"] {
                let query = FormCodec.encode(id), named: JSONValue = ["stream_id": .string(id)]
                let about: JSONValue = [
                    "stream_id": .string(id), "status": "paused",
                    "subject": ["format": "opaque", "id": "x"],
                ]
                let replies = [
                    try await other.send(.get, "/ssf/stream?stream_id=\(query)"),
                    try await other.send(.delete, "/ssf/stream?stream_id=\(query)"),
                    try await other.send(.get, "/ssf/status?stream_id=\(query)"),
                    try await other.send(.patch, "/ssf/stream", named),
                    try await other.send(.put, "/ssf/stream", named),
                    try await other.post("/ssf/verify", named), try await other.post("/ssf/status", about),
                    try await other.post("/ssf/subjects/add", about),
                    try await other.post("/ssf/subjects/remove", about),
                    try await other.poll(id == mine ? mine : "none"),
                ]
                #expect(replies.allSatisfy { $0.outcome == "404 not_found" }, "\(replies.map(\.outcome))")
            }
            #expect(try await server.database.value("select status from event_stream") == "enabled")
        }
    }

    @Test("nobody is 401, who is no service too; a token without the scope is 403 and says which it needs")
    func strangers() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            var nobody = receiver
            nobody.credentials = [:]
            let wrong = Receiver(server, as: (server.residents.learn.id, "wrong")),
                machine = Receiver(server, as: server.residents.machine)
            for stranger in [nobody, wrong, machine] {
                for (method, path) in [
                    (HTTPRequest.Method.get, "/ssf/stream"), (.delete, "/ssf/stream?stream_id=\(id)"),
                    (.get, "/ssf/status?stream_id=\(id)"),
                ] {
                    let reply = try await stranger.send(method, path)
                    #expect(reply.outcome == "401 invalid_client" && reply[header: "WWW-Authenticate"] != nil)
                }
                for path in ["/ssf/stream", "/ssf/status", "/ssf/verify", "/ssf/subjects/add", "/ssf/poll/\(id)"] {
                    let reply = try await stranger.post(path, ["stream_id": .string(id)])
                    #expect(reply.outcome == "401 invalid_client", "\(path): \(reply.outcome)")
                }
            }

            let reader = try await receiver.holding("ssf.read"), keeper = try await receiver.holding("ssf.manage"),
                listener = try await receiver.holding("events")
            #expect(try await reader.send(.get, "/ssf/stream").status == 200)
            #expect(try await keeper.send(.get, "/ssf/stream").status == 200)
            #expect(try await listener.poll(id).status == 200)
            #expect(try await listener.send(.get, "/ssf/stream").outcome == "403 insufficient_scope")
            let refused = try await reader.post("/ssf/verify", ["stream_id": .string(id)])
            #expect(refused.outcome == "403 insufficient_scope")
            #expect(refused[header: "WWW-Authenticate"]?.contains("scope=\"ssf.manage\"") == true)
            #expect(try await keeper.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
        }
    }

    @Test("a stream is verified once a minute; sooner is 429 with Retry-After")
    func verified() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create(["urn:example:none"])
            let asked: JSONValue = ["stream_id": .string(id), "state": "s\u{e9}cret"]
            #expect(try await receiver.post("/ssf/verify", asked).status == 204)
            let again = try await receiver.post("/ssf/verify", asked)
            #expect(again.outcome == "429 slow_down" && again[header: "Retry-After"] == "60")
            server.time.advance(60)
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            for state: JSONValue in [1, .string(String(repeating: "x", count: 1_001))] {
                let reply = try await receiver.post("/ssf/verify", ["stream_id": .string(id), "state": state])
                #expect(reply.outcome == "400 invalid_request")
            }

            let tokens = Receiver.tokens(try await receiver.poll(id))
            #expect(tokens.map { Receiver.event($0).type } == [Receiver.verification, Receiver.verification])
            #expect(tokens.map { Receiver.event($0).body } == [["state": "s\u{e9}cret"], [:]])
            #expect(claims(of: tokens[0])["sub_id"] == ["format": "opaque", "id": .string(id)])
            try await receiver.set(id, to: "disabled")
            server.time.advance(60)
            #expect(try await receiver.post("/ssf/verify", asked).outcome == "400 invalid_request")
        }
    }

    @Test("all subjects are in: adding is 200, removing 403")
    func subjects() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            func ask(_ verb: String, _ members: JSONObject) async throws -> Reply {
                try await receiver.post("/ssf/subjects/\(verb)", .object(members.with(["stream_id": .string(id)])))
            }
            let subject: JSONValue = ["format": "email", "email": "ada@example.org"]
            #expect(try await ask("add", ["subject": subject, "verified": true]).outcome == "200")
            #expect(try await ask("remove", ["subject": subject]).outcome == "403 forbidden")
            for wrong: JSONObject in [[:], ["subject": "ada"], ["subject": [:]], ["subject": ["format": 1]]] {
                #expect(try await ask("add", wrong).outcome == "400 invalid_request")
                #expect(try await ask("remove", wrong).outcome == "400 invalid_request")
            }
            let unsure: JSONObject = ["subject": subject, "verified": "yes"]
            #expect(try await ask("add", unsure).outcome == "400 invalid_request")
        }
    }

    @Test("a status that there is not is 400; a status tells its reason")
    func status() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            for status: JSONValue in ["gone", 1, .null] {
                let reply = try await receiver.post("/ssf/status", ["stream_id": .string(id), "status": status])
                #expect(reply.outcome == "400 invalid_request")
            }
            let long: JSONValue = .string(String(repeating: "x", count: 501))
            let wordy = try await receiver.post(
                "/ssf/status", ["stream_id": .string(id), "status": "paused", "reason": long])
            #expect(wordy.outcome == "400 invalid_request")
            let paused: JSONValue = ["stream_id": .string(id), "status": "paused", "reason": "moving house"]
            #expect(try await receiver.post("/ssf/status", paused).json == paused)
            #expect(try await receiver.send(.get, "/ssf/status?stream_id=\(id)").json == paused)
        }
    }

    @Test("with the database away all of it is 503, and nobody is told that they are nobody")
    func databaseAway() async throws {
        try await TestServer.with { server in
            try await server.withoutDatabase { away in
                let receiver = Receiver(away)
                for reply in [
                    try await receiver.send(.get, "/ssf/stream"), try await receiver.post("/ssf/stream", [:]),
                    try await receiver.post("/ssf/verify", ["stream_id": "x"]), try await receiver.poll("x"),
                ] {
                    #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil)
                }
            }
        }
    }
}
