import Base
import Database
import Federation
import Foundation
import HTTPTypes
import OAuth
import Synchronization
import TestSupport
import Testing

@Suite("discovery at another server, from a copy of the list")
struct DiscoveryElsewhereTests {
    private static let path = "/services/discovery"

    private func with(
        listing: String = "public",
        _ body: @escaping @Sendable (TestServer, ServerElsewhere, Phone, Reply) async throws -> Void
    ) async throws {
        try await TestServer.with(options: .init(listing: listing)) { home in
            try await ServerElsewhere.with(["discovery"], of: home) { far in
                let phone = try await Phone.registered(in: home)
                try await body(home, far, phone, try await phone.logIn())
            }
        }
    }

    private func copy(_ far: ServerElsewhere) throws -> IndexCopy {
        let service = try #require(try far.role("discovery").elsewhere)
        return IndexCopy(
            database: far.composition.database, interval: 10, clock: far.composition.clock, logger: .quiet
        ) { try await service.issuer.services($0) }
    }

    private func ask(
        _ far: ServerElsewhere, _ phone: Phone, _ pat: Reply, _ question: JSONValue = ["org.example.a"]
    ) async throws -> Reply {
        let path = Self.path + "/protocol-discovery"
        let assertion = try await phone.assertion(pat, for: ServerElsewhere.base("discovery"))
        var headers = try phone.dpop(.post, elsewhere: path, token: assertion)
        headers[.contentType] = "application/json"
        return try await far.send(.post, path, headers: headers, body: question.bytes)
    }

    private static let campus = IndexedService("campus", ["org.ietf.oauth2", "org.example.a"])

    @Test("answers as the issuer does, to an assertion that was made for it")
    func answers() async throws {
        try await with { home, far, phone, pat in
            try await Self.campus.enter(home.database, at: home.time.now)
            #expect(try await ask(far, phone, pat).json == [])

            try await copy(far).readAll()

            let path = "/protocol-discovery"
            let atHome = try await home.post(
                path, json: ["org.example.a"], headers: phone.dpop(.post, path, token: pat.accessToken))
            let here = try await ask(far, phone, pat)
            #expect(here.outcome == "200" && here.json == [Self.campus.document])
            #expect(here.json == atHome.json)
            #expect(try await ask(far, phone, pat, [.string(Self.campus.base)]).json == here.json)
            let list = try await far.send(.get, Self.path + "/federation/services").json["items"]?.array ?? []
            #expect(list.contains { $0["id"] == "campus" } && list.contains { $0["id"] == "far-discovery" })
            #expect(try await far.send(.get, Self.path + "/federation/services/campus").json["base"] != nil)
        }
    }

    @Test("what changes, is suspended or removed there is so here at the next question")
    func follows() async throws {
        try await with { home, far, phone, pat in
            try await Self.campus.enter(home.database, at: home.time.now)
            let other = IndexedService("other", ["org.ietf.oauth2", "org.example.a"])
            try await other.enter(home.database, at: home.time.now)
            let copy = try copy(far)
            try await copy.readAll()
            home.time.advance(120)
            var renamed = Self.campus
            renamed.engine = "Another engine"
            try await renamed.publish(home.database, at: home.time.now)
            try await other.move(home.database, to: .suspended, at: home.time.now)

            try await copy.readChanges()
            #expect(try await ask(far, phone, pat).json == [renamed.document])

            try await renamed.move(home.database, to: .removed, at: home.time.now)
            try await copy.readChanges()
            #expect(try await ask(far, phone, pat).json == [])
            let status: String = try await far.composition.database.value(
                "select status from copied_service where id = 'campus'")
            #expect(status == "removed")
        }
    }

    @Test("what was read stands while the issuer is away; the whole list takes out what it has no more")
    func away() async throws {
        try await with { home, far, phone, pat in
            try await Self.campus.enter(home.database, at: home.time.now)
            let copy = try copy(far)
            try await copy.readAll()
            _ = try await ask(far, phone, pat)
            far.cut(true)
            await #expect(throws: IssuerConnection.Unanswered.self) { try await copy.readAll() }
            #expect(try await ask(far, phone, pat).json == [Self.campus.document])
            far.cut(false)
            _ = try await home.database.execute("update service set status = 'pending' where id = 'campus'")

            try await copy.readAll()

            #expect(try await ask(far, phone, pat).json == [])
        }
    }

    @Test("a list for members is read as a client of the federation, a closed one is not")
    func listing() async throws {
        try await with(listing: "federation") { home, far, phone, pat in
            try await Self.campus.enter(home.database, at: home.time.now)
            try await copy(far).readAll()
            #expect(try await ask(far, phone, pat).json == [Self.campus.document])
        }
        try await with(listing: "closed") { _, far, _, _ in
            let refused = try await #require(throws: IssuerConnection.Unanswered.self) {
                try await copy(far).readAll()
            }
            #expect(refused.description.contains("404"))
        }
    }

    @Test(
        "what is no list changes nothing",
        arguments: [
            "{}", #"{"items": {}}"#, #"{"items": [{}], "next": null}"#, #"{"items": [1], "next": null}"#,
            #"{"items": [{"id": "", "base": "BASE", "status": "active", "updated_at": "AT"}]}"#,
            #"{"items": [{"id": "a", "base": "nowhere", "status": "active", "updated_at": "AT"}]}"#,
            #"{"items": [{"id": "a", "base": "BASE", "status": "pending", "updated_at": "AT"}]}"#,
            #"{"items": [{"id": "a", "base": "BASE", "status": "active", "updated_at": "soon"}]}"#,
        ])
    func hostile(_ shape: String) async throws {
        let answer = shape.replacing("BASE", with: "https://a.example.org").replacing(
            "AT", with: "2026-11-21T10:00:00Z")
        try await TestDatabase.with { test in
            let copy = IndexCopy(
                database: test.database, interval: 10, clock: SettableClock().clock, logger: .quiet
            ) { _ in try #require((try JSONReader.read(Array(answer.utf8))).object) }

            await #expect(throws: (any Error).self) { try await copy.readAll() }

            let count: Int64 = try await test.database.value("select count(*) from copied_service")
            #expect(count == 0)
        }
    }

    /// A list as a test writes it, and what was asked for.
    private final class WrittenList: Sendable {
        let items = Mutex<[JSONValue]>([])
        let next = Mutex<JSONValue>(.null)
        let asked = Mutex<[String?]>([])

        func answer(_ query: [(String, String)]) -> JSONObject {
            asked.withLock { asked in asked.append(query.first { $0.0 == "updated_since" }?.1) }
            return ["items": .array(items.withLock { $0 }), "next": next.withLock { $0 }]
        }

        func copy(_ database: Database, _ clock: WallClock) -> IndexCopy {
            IndexCopy(database: database, interval: 10, clock: clock, logger: .quiet) { self.answer($0) }
        }

        static func item(_ id: String, at time: Date) -> JSONValue {
            [
                "id": .string(id), "base": .string("https://\(id).example.org"), "status": "active",
                "updated_at": .string(time.rfc3339),
            ]
        }
    }

    @Test("changes are asked for by the issuer's clock, whatever this one says or an item claims")
    func clocks() async throws {
        try await TestDatabase.with { test in
            let time = SettableClock(), list = WrittenList(), copy = list.copy(test.database, time.clock)
            let told = time.now.addingTimeInterval(-3_000), asOf = told.addingTimeInterval(-60).rfc3339
            list.items.withLock { $0 = ["a", "b"].map { WrittenList.item($0, at: told) } }
            try await copy.readAll()
            // Found to be gone here, at a time that the issuer's clock has not reached.
            list.items.withLock { $0 = Array($0.dropFirst()) }
            try await copy.readAll()
            list.asked.withLock { $0 = [] }

            try await copy.readChanges()
            #expect(list.asked.withLock { $0 } == [asOf])

            list.items.withLock { $0 = [WrittenList.item("b", at: time.now.addingTimeInterval(86_400))] }
            try await copy.readChanges()
            try await copy.readChanges()
            #expect(list.asked.withLock { $0.last } == time.now.addingTimeInterval(-60).rfc3339)
        }
    }

    @Test("what changed while the whole list was read is read behind it")
    func behind() async throws {
        try await TestDatabase.with { test in
            let time = SettableClock(), list = WrittenList(), copy = list.copy(test.database, time.clock)
            let told = time.now.addingTimeInterval(-3_000)
            list.items.withLock { $0 = [WrittenList.item("a", at: told)] }

            try await copy.readAll()
            #expect(list.asked.withLock { $0 } == [nil, time.now.addingTimeInterval(-60).rfc3339])

            list.items.withLock { $0.append(WrittenList.item("b", at: time.now)) }
            try await copy.readAll()
            #expect(list.asked.withLock { Array($0.suffix(2)) } == [nil, told.addingTimeInterval(-60).rfc3339])
        }
    }

    @Test("a list whose pages go round ends, and takes nothing out")
    func round() async throws {
        try await TestDatabase.with { test in
            let time = SettableClock(), list = WrittenList(), copy = list.copy(test.database, time.clock)
            list.items.withLock { $0 = [WrittenList.item("a", at: time.now)] }
            try await copy.readAll()
            list.items.withLock { $0 = [WrittenList.item("b", at: time.now)] }
            list.next.withLock { $0 = "again" }

            await #expect(throws: (any Error).self) { try await copy.readAll() }

            let left: Int64 = try await test.database.value(
                "select count(*) from copied_service where status = 'active'")
            #expect(left == 2)
        }
    }
}
