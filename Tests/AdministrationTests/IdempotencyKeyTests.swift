import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Console

@Suite("Idempotency-Key at the administration API", .server)
struct IdempotencyKeyTests {
    private func key(_ text: String) throws -> HTTPFields {
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("Idempotency-Key"))] = text
        return headers
    }

    private func count(_ name: String) async throws -> Int {
        try await TestServer.ofSuite.database.value("select count(*) from client where name = \(name)")
    }

    @Test("what is asked for again is done once and answered alike, with the secret that is told once")
    func again() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), name = AdminParty.fresh("client")
        let body: JSONValue = ["name": .string(name), "redirect_uri": ["https://rp.example.org/cb"]]

        let first = try await party.ask(.post, "/clients", body, headers: try key("\"\(name)\""))
        let second = try await party.ask(.post, "/clients", body, headers: try key(name))

        #expect(first.status == 201 && first["client_secret"] != nil, "\(first.body)")
        #expect(second.status == 201 && second.body == first.body)
        #expect(second[header: "Location"] == first[header: "Location"])
        #expect(try await count(name) == 1)
        let secret = try #require(first["client_secret"])
        let kept: String = try await party.server.database.value(
            "select string_agg(encode(answer, 'escape'), '') from admin_answer")
        #expect(!kept.contains(secret))
    }

    @Test("another request under the same key is refused; another caller's key is another key")
    func other() async throws {
        let server = try TestServer.ofSuite, party = try await AdminParty.machine(server)
        let app = AdminParty.fresh(), headers = try key(app)
        _ = try await party.ask(.post, "/apps", ["app": .string(app), "name": "x"], headers: headers)

        let changed = try await party.ask(.post, "/apps", ["app": .string(app), "name": "y"], headers: headers)
        let elsewhere = try await party.ask(.post, "/apps/\(app)/refuse", [:], headers: headers)
        let stranger = try await AdminParty.machine(server).ask(
            .post, "/apps", ["app": .string(app), "name": "x"], headers: headers)

        #expect(changed.outcome == "422 invalid" && elsewhere.outcome == "422 invalid")
        #expect(stranger.outcome == "409 conflict")
    }

    @Test("what was refused, or tried without doing it, leaves no key")
    func refused() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), app = AdminParty.fresh()
        let headers = try key(app)

        let missing = try await party.ask(.post, "/apps/\(app)/refuse", [:], headers: headers)
        let dry = try await party.ask(
            .post, "/apps", ["app": .string(app), "name": "x", "dry_run": true], headers: headers)
        let made = try await party.ask(.post, "/apps", ["app": .string(app), "name": "x"], headers: headers)

        #expect(missing.outcome == "404 not_found" && dry.status == 200 && made.status == 201, "\(made.body)")
    }

    @Test("what is no key", arguments: ["", "\"\"", "a\"b", "\u{e9}", String(repeating: "x", count: 256)])
    func bad(_ text: String) async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite)

        let reply = try await party.ask(.post, "/apps", ["app": "never", "name": "x"], headers: try key(text))

        #expect(reply.outcome == "400 usage", "\(reply.body)")
    }

    @Test("of two at once one is done: the other hears that it is under way, or the same answer")
    func race() async throws {
        let party = try await AdminParty.machine(try TestServer.ofSuite), name = AdminParty.fresh("client")
        let body: JSONValue = ["name": .string(name), "redirect_uri": ["https://rp.example.org/cb"]]
        let headers = try key(name)

        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<4 { group.addTask { try await party.ask(.post, "/clients", body, headers: headers) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }

        #expect(Set(replies.map(\.outcome)).isSubset(of: ["201", "409 conflict"]))
        #expect(Set(replies.filter { $0.status == 201 }.map(\.body)).count == 1)
        #expect(try await count(name) == 1)
    }

    @Test("after a day it is forgotten, and not before")
    func forgotten() async throws {
        try await TestServer.with { server in
            let party = try await AdminParty.machine(server), app = AdminParty.fresh()
            let headers = try key(app), keys = IdempotencyKeys(key: try MasterKey(Randomness.system.secret()))
            let body: JSONValue = ["app": .string(app), "name": "x"]
            _ = try await party.ask(.post, "/apps", body, headers: headers)
            let now = server.time.now

            try await keys.forget(at: now.addingTimeInterval(IdempotencyKeys.kept - 1), in: server.database)
            let kept = try await party.ask(.post, "/apps", body, headers: headers)
            try await keys.forget(at: now.addingTimeInterval(IdempotencyKeys.kept + 1), in: server.database)
            let gone = try await party.ask(.post, "/apps", body, headers: headers)

            #expect(kept.status == 201 && gone.outcome == "409 conflict")
        }
    }
}
