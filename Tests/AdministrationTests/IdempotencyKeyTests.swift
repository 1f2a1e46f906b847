import Accounts
import Administration
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

    @Test("what was deleted is answered again to who deleted it, while they have such a role")
    func deleted() async throws {
        try await TestServer.with { server in
            let operators = try await AdminParty.machine(server), app = AdminParty.fresh()
            _ = try await operators.ask(.post, "/institutions", ["institution": "uni.example", "name": "Uni"])
            let made = try await operators.ask(
                .post, "/apps", ["app": .string(app), "name": "x", "institution": "uni.example"])
            try #require(made.status == 201, "\(made.body)")
            let clock = server.time.clock, roles = RoleStore(clock: clock)
            let bob = try #require(try await AccountStore(clock: clock).find("bob", in: server.database))
            let grant = try #require(
                RoleGrant(account: bob.id, role: .institutionAdministrator, institution: "uni.example"))
            _ = try await roles.grant(grant, by: "test", in: server.database)
            let party = try await AdminParty.person(server, as: "bob"), headers = try key(app)

            let first = try await party.ask(.delete, "/apps/\(app)", headers: headers)
            let second = try await party.ask(.delete, "/apps/\(app)", headers: headers)
            let bare = try await party.ask(.delete, "/apps/\(app)")
            _ = try await roles.withdraw(grant, in: server.database)
            let third = try await party.ask(.delete, "/apps/\(app)", headers: headers)

            #expect(first.status == 200 && second.status == 200 && second.body == first.body, "\(second.body)")
            #expect(bare.outcome == "404 not_found" && third.outcome == "403 forbidden")
        }
    }

    @Test("what was asked for is not told by the row: without its key no password is tried out by it")
    func fingerprint() async throws {
        let database = try TestServer.ofSuite.database
        let asked = try #require(
            try IdempotencyKeys.Asked(
                [AdminParty.fresh("key")], of: "client:x", AdminRoute("POST", "/accounts"), ["password": "guessed"]))
        let mine = IdempotencyKeys(key: try MasterKey(Randomness.system.secret()))
        let others = IdempotencyKeys(key: try MasterKey(Randomness.system.secret()))

        try await mine.keep(
            AdminAPIAnswer(status: 200, location: nil, body: ["a": 1]), of: asked, at: Date(), in: database)

        #expect(try await mine.answer(to: asked, in: database)?.body["a"] == 1)
        let refusal = await #expect(throws: AdminFailure.self) {
            try await others.answer(to: asked, in: database)
        }
        #expect(refusal?.code == .invalid)
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
