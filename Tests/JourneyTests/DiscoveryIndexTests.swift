import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import Federation

@Suite("discovery: sets of names")
struct DiscoveryIndexTests {
    private let now = Date(numericDate: 1_800_000_000)

    private func engines(_ names: [String], in database: Database, forApp: Bool = false) async throws -> [String] {
        let text = try await ProtocolQuery(database: database).answer(.names(names), forApp: forApp).text
        return try JSONReader.read(Array(text.utf8)).array?.compactMap { $0["engineName"]?.string } ?? []
    }

    @Test("all names must be in one service; services of all sets come in the order of their ids")
    func names() async throws {
        try await TestDatabase.with { test in
            for (id, protocols) in [
                ("d", ["org.a", "org.b"]), ("b", ["org.b", "org.a"]), ("c", ["org.a", "org.b", "org.c"]),
                ("a", ["org.a", "org.ietf.oauth2"]),
            ] {
                try await IndexedService(id, protocols, engine: id).enter(test.database, at: now)
            }

            let one = try await engines(["org.a"], in: test.database),
                two = try await engines(["org.b", "org.a"], in: test.database)
            let three = try await engines(["org.a", "org.b", "org.c"], in: test.database),
                none = try await engines(["org.a", "org.d"], in: test.database)
            let app = try await engines(["org.a"], in: test.database, forApp: true)
            let sets: Int = try await test.database.value("select count(*) from protocol_set")

            #expect(
                one == ["a", "b", "c", "d"] && two == ["b", "c", "d"] && three == ["c"] && none == [] && app == ["a"])
            #expect(sets == 3, "the order of names makes no other set")
        }
    }

    @Test("dotless names are compared folded, and mapped ones found")
    func folded() async throws {
        try await TestDatabase.with { test in
            try await IndexedService("blog", ["Movable Type"]).enter(test.database, at: now)

            for name in ["movabletype", "Movable-Type", "MOVABLE TYPE", "org.movabletype.xmlrpc"] {
                let found = try await engines([name], in: test.database)
                #expect(found.count == 1, "\(name)")
            }
            let exact = try await engines(["org.MovableType.xmlrpc"], in: test.database)
            #expect(exact == [])
        }
    }

    @Test("only live services: active, and with a document that is good or was so lately")
    func live() async throws {
        try await TestDatabase.with { test in
            for state in ["ok", "degraded", "stale", "failed", "gone", "pending"] {
                try await IndexedService(state, ["org.a"], state: state, engine: state).enter(test.database, at: now)
            }
            try await IndexedService("asked", ["org.a"]).enter(test.database, status: .pending, at: now)
            let held = IndexedService("held", ["org.a"]), gone = IndexedService("over", ["org.a"])
            for service in [held, gone] { try await service.enter(test.database, at: now) }
            try await held.move(test.database, to: .suspended, at: now)
            try await gone.move(test.database, to: .removed, at: now)

            let byName = try await engines(["org.a"], in: test.database)
            let bases = ["ok", "failed", "asked", "held", "over"].map { "https://\($0).example.org/" }
            let byAddress = try await ProtocolQuery(database: test.database).answer(.addresses(bases), forApp: false)

            #expect(byName == ["degraded", "ok", "stale"])
            #expect(byAddress.text == "[\(IndexedService("ok", ["org.a"], engine: "ok").document.text)]")
        }
    }

    @Test("the answer is the documents as they were put, byte for byte")
    func text() async throws {
        try await TestDatabase.with { test in
            let services = [
                IndexedService("a", ["org.a"], engine: "<b> \u{2028} \"Ü\" \\ 😀"), IndexedService("b", ["org.a"]),
            ]
            for service in services { try await service.enter(test.database, at: now) }

            let answer = try await ProtocolQuery(database: test.database).answer(.names(["org.a"]), forApp: false)

            #expect(answer.text == "[" + services.map(\.document.text).joined(separator: ",") + "]")
        }
    }

    @Test("a new document takes the old one's place, its names and its set; sets that nobody has go")
    func replaced() async throws {
        try await TestDatabase.with { test in
            var service = IndexedService("a", ["org.a", "org.b"])
            try await service.enter(test.database, at: now)
            try await IndexedService("b", ["org.b"]).enter(test.database, at: now)
            service.protocols = ["org.b"]
            try await service.publish(test.database, at: now + 60)

            let old = try await engines(["org.a"], in: test.database),
                new = try await engines(["org.b"], in: test.database)
            let before: Int = try await test.database.value("select count(*) from protocol_set")
            try await ServiceListing.forgetSets(in: test.database)
            let after: [String] = try await test.database.value("select array_agg(names[1]) from protocol_set")
            let changed: Date = try await test.database.value("select changed_at from service where id = 'a'")

            #expect(old == [] && new.count == 2 && before == 2 && after == ["org.b"] && changed == now + 60)
        }
    }

    @Test("a set of more names than an index entry holds, put by a crowd at once, stands once")
    func race() async throws {
        try await TestDatabase.with(connections: 8) { test in
            let protocols = (0..<200).map { "org.example.\(String(repeating: "n", count: 150)).\($0)" }, now = self.now
            let services = (0..<8).map { IndexedService("s\($0)", protocols) }
            for service in services { try await service.enter(test.database, isCrawled: false, at: now) }

            _ = try await crowd(8) { number in
                try await services[number].publish(test.database, at: now)
                if number % 4 == 0 { try await ServiceListing.forgetSets(in: test.database) }
                return number
            }

            let sets: Int = try await test.database.value("select count(*) from protocol_set")
            let found = try await engines([protocols[7], protocols[199]], in: test.database)
            #expect(sets == 1 && found.count == 8)
        }
    }

    @Test("at most a thousand documents: the first by id, whatever sets they are in")
    func most() async throws {
        try await TestDatabase.with { test in
            try await IndexedService("z", ["org.a", "org.z"], engine: "z").enter(test.database, at: now)
            try await IndexedService("s0000", ["org.a"], engine: "first").enter(test.database, at: now)
            try await test.database.batch([
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, created_at,
                    changed_at)
                select 's' || lpad(n::text, 4, '0'), 'n', 'https://many.example.org/' || n, 'active', 'z', 't',
                    'e', \(now), \(now) from generate_series(1, 1100) n
                """,
                """
                insert into service_document (service, state, document, document_text, protocol_set, next_try)
                select s.id, 'ok', '{}'::jsonb, '{"engineName":"' || s.id || '"}', d.protocol_set, \(now)
                    from service s, service_document d
                where d.service = 's0000' and s.base like 'https://many.%'
                """,
            ])

            let found = try await engines(["org.a"], in: test.database),
                rare = try await engines(["org.z"], in: test.database)

            #expect(found.count == 1_000 && found.first == "first" && found.last == "s0999" && rare == ["z"])
        }
    }

    @Test("while listening memory answers; a change that is told is seen, and one while the connection is lost too")
    func notified() async throws {
        try await TestDatabase.with { test in
            let database = test.database, channel = "discovery_" + UUID().uuidString.lowercased(),
                query = ProtocolQuery(database: database, channel: channel)
            let watch = Task { await query.watch() }
            func count() async throws -> Int {
                try await query.answer(.names(["org.a"]), forApp: false).text.components(separatedBy: "engineName")
                    .count - 1
            }
            #expect(try await eventually { query.memory.isListening })
            let empty = try await count()

            try await IndexedService("a", ["org.a"]).enter(database, at: now)
            let untold = try await count()
            try await database.query("select 1 as told from (select pg_notify(\(channel), 'a')) n")
            let isTold = try await eventually { try await count() == 1 }

            let ended = try await database.query(
                """
                select pid from pg_stat_activity where query ilike \("listen \"" + channel + "\"%")
                    and pg_terminate_backend(pid)
                """
            )
            try await IndexedService("b", ["org.a"]).enter(database, at: now)
            let isSeen = try await eventually { try await count() == 2 }
            let isBack = try await eventually { query.memory.isListening }

            #expect(empty == 0 && untold == 0 && isTold && ended.count == 1 && isSeen && isBack)
            watch.cancel()
            await watch.value
            #expect(!query.memory.isListening)
        }
    }

    @Test("a page of the listing is remembered, whatever the spelling of its question, until something changes")
    func pages() async throws {
        try await TestDatabase.with { test in
            let database = test.database, query = ProtocolQuery(database: database, channel: "unheard")
            query.memory.heard(.listening)
            func ids(_ protocols: [String], after: String? = nil) async throws -> String {
                let asked = ListingQuery(protocols: protocols, after: after.map { ListingCursor(id: $0) }, limit: 2)
                return try await query.page(asked) { $0.map(\.id).joined(separator: " ") }.text
            }
            for id in ["c", "a", "d"] {
                try await IndexedService(id, ["org.a", "MetaWeblog"]).enter(database, at: now)
            }
            try await IndexedService("b", ["org.a"]).enter(database, at: now)

            let first = try await ids(["MetaWeblog", "org.a"])
            try await IndexedService("a0", ["org.a", "MetaWeblog", "org.b"]).enter(database, at: now)
            let same = try await ids(["org.a", "meta weblog", "org.a"]),
                next = try await ids(["metaweblog", "org.a"], after: "a")
            query.memory.heard(.payload("a0"))
            let fresh = try await ids(["org.a", "MetaWeblog"])

            #expect(first == "a c" && same == "a c" && next == "a0 c" && fresh == "a a0")
            #expect(query.memory.held.entries == 1)
        }
    }

    /// Polls for half a minute at most.
    private func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1_500 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}
