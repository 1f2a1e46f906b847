import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// A trail of three lines a day for three days, in its chain.
private struct ChainedTrail {
    let database: Database
    let time = SettableClock()

    static func with(_ body: (ChainedTrail) async throws -> Void) async throws {
        try await TestDatabase.with { test in
            let trail = ChainedTrail(database: test.database)
            for day in 0..<3 {
                if day > 0 { trail.time.advance(86_400) }
                for number in 0..<3 { try await trail.write("test.\(day).\(number)") }
                try await trail.chain()
            }
            // What was seen is settled a minute later, once nobody is under way who was then, in the databases of other
            // tests too: that takes as long as it takes, and the day goes on for a few minutes only.
            while try await AuditChain.settled(in: trail.database) < 9 {
                let seen: Date = try await trail.database.value(
                    "select changed_at from setting where name = 'audit.chain'")
                if trail.time.now.timeIntervalSince(seen) < 61 { trail.time.advance(61) }
                try await trail.chain()
                try await Task.sleep(for: .milliseconds(5))
            }
            try await body(trail)
        }
    }

    func write(_ action: String, in executor: (any SQLExecutor)? = nil) async throws {
        let entry = AuditEntry(
            actor: AuditActor(name: "admin:root", origin: "cli", reason: "ö, \"<"), action: action, node: "app:a",
            account: UUID(uuidString: "0f8fad5b-d9cb-469f-a165-70867728950e"), detail: ["b": [1, "x"], "a": nil])
        try await AuditTrail.write(entry, at: time.now, in: executor ?? database)
    }

    @discardableResult
    func chain() async throws -> Int { try await AuditChain(database: database, clock: time.clock).round() }

    /// `kind line place` of each problem.
    func problems(since: String? = nil) async throws -> [String] {
        try await AuditCheck(in: database).run(since: since).problems.map {
            "\($0.kind.rawValue) \($0.line.map(String.init) ?? "-") \($0.place.map(String.init) ?? "-")"
        }
    }

    func purge(after days: Int) async throws -> Int {
        try await AuditPurge(database: database, kept: days, clock: time.clock).forget()
    }
}

@Suite("The audit trail's hash chain")
struct AuditChainTests {
    @Test("lines of three days are nine places and three heads, each day behind the one before")
    func intact() async throws {
        try await ChainedTrail.with { trail in
            let report = try await AuditCheck(in: trail.database).run()
            let heads = try await AuditHead.list(in: trail.database)

            #expect(report.isIntact && report.lines == 9 && report.days == 3 && report.waiting == 0)
            #expect(heads.map { "\($0.first)-\($0.last)" } == ["1-3", "4-6", "7-9"])
            #expect(heads[0].previous == AuditLink.beginning && heads[1].previous == heads[0].hash)
            #expect(heads[2].previous == heads[1].hash && report.head?.hash == heads[2].hash)
        }
    }

    @Test(
        "each column of a line is hashed: one that is changed is found, and named",
        arguments: [
            "at = at + interval '1 microsecond'", "actor = 'admin:eve'", "origin = null", "action = 'test.1.x'",
            "node = 'app:b'", "account = null", "reason = 'ö, <'", "outcome = 'refused'",
            #"detail = '{"a": null, "b": [1, "y"]}'"#,
        ])
    func changed(_ change: String) async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute("update audit set \(raw: change) where id = 5")

            #expect(try await trail.problems() == ["changed 5 5"])
            #expect(try await trail.problems(since: "2100-01-01") == [])
        }
    }

    @Test("a line that is gone is found, with its place in the chain or without")
    func deleted() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute("delete from audit where id = 5")
            #expect(try await trail.problems() == ["missing 5 5"])

            try await trail.database.execute("delete from audit_link where line = 5")
            #expect(try await trail.problems() == ["missing - 5"])
        }
    }

    @Test("a line that is gone for good, with all behind it moved up, breaks the chain there")
    func closedGap() async throws {
        try await ChainedTrail.with { trail in
            for statement in [
                "delete from audit where id = 5", "delete from audit_link where line = 5",
                "update audit_link set place = 5 where line = 6",
                "update audit_head set last = 5 where first = 4",
                "update audit_link set place = place - 1 where line = 7",
                "update audit_link set place = place - 1 where line = 8",
                "update audit_link set place = place - 1 where line = 9",
                "update audit_head set first = 6, last = 8 where first = 7",
            ] as [SQL] {
                try await trail.database.execute(statement)
            }

            #expect(try await trail.problems() == ["broken 6 5"])
        }
    }

    @Test("lines that changed places are found, however that was done")
    func swapped() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute(
                "update audit_link set line = case line when 4 then -5 else -4 end where line in (4, 5)")
            try await trail.database.execute("update audit_link set line = -line where line < 0")
            #expect(try await trail.problems() == ["reordered 5 4", "reordered 4 5"])

            // With what was hashed of them.
            try await trail.database.execute(
                """
                update audit_link k set digest = o.digest from audit_link o
                where k.place in (4, 5) and o.place = 9 - k.place
                """)
            #expect(try await trail.problems() == ["broken 5 4", "broken 4 5"])
        }
    }

    @Test("a line that is put in is found, before the newest and with a place of its own")
    func inserted() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute(
                """
                insert into audit (id, at, actor, action, outcome) overriding system value
                values (0, now(), 'admin:root', 'revoke', 'done'), (-7, now(), 'admin:root', 'revoke', 'done')
                """)
            #expect(try await trail.problems() == ["inserted -7 -", "inserted 0 -"])

            try await trail.database.execute(
                """
                insert into audit_link (place, line, digest, hash) select 10, 0, k.digest, k.hash from audit_link k
                where k.place = 9
                """)
            #expect(try await trail.problems() == ["inserted 0 10", "inserted -7 -"])
        }
    }

    @Test("a head that is another is found")
    func head() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute("update audit_head set hash = sha256('x') where first = 4")

            #expect(try await trail.problems() == ["head - 6", "head - 7"])
        }
    }

    @Test("who rewrites everything to its end is found by a head that was published")
    func rewritten() async throws {
        try await ChainedTrail.with { trail in
            let published = try await AuditHead.list(in: trail.database).map(\.hash)
            try await trail.database.execute("update audit set actor = 'admin:eve' where id = 2")
            for statement in [
                "delete from audit_link", "delete from audit_head", "delete from setting where name = 'audit.chain'",
            ] as [SQL] {
                try await trail.database.execute(statement)
            }
            try await trail.chain()

            let heads = try await AuditHead.list(in: trail.database).map(\.hash)
            #expect(try await trail.problems() == [])
            #expect(heads.count == 3 && zip(heads, published).allSatisfy { $0 != $1 })
        }
    }

    @Test("a line that comes to light late gets the next place, and is missed by nobody")
    func late() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.atomically { slow in
                try await trail.write("slow", in: slow)
                try await trail.write("quick")
                #expect(try await trail.chain() == 1)
                trail.time.advance(3_600)
                #expect(try await trail.chain() == 0)
            }
            let waiting = try await AuditCheck(in: trail.database).run()

            #expect(waiting.isIntact && waiting.waiting == 1)
            #expect(try await trail.chain() == 1)
            let last = try #require(try await AuditProof.of(line: 10, in: trail.database))
            #expect(last.place == 11 && last.line.values[4] == "slow")
            trail.time.advance(3_600)
            try await trail.chain()
            #expect(try await trail.problems() == [])
        }
    }

    @Test("a head that names no place there can be is found, and ends nothing", arguments: [Int64.max, .min, -1])
    func noPlace(_ place: Int64) async throws {
        try await ChainedTrail.with { trail in
            _ = try await trail.database.execute(
                "update audit_head set first = \(place), last = \(place) where day = (select max(day) from audit_head)")
            try await trail.write("more")

            _ = try? await trail.chain()

            let found = try await trail.problems(), heads = try await AuditHead.list(in: trail.database)
            #expect(found.contains { $0.hasPrefix("head ") })
            #expect(heads.map(\.json).count >= 3)
        }
    }

    @Test("of many processes one gives each line its place")
    func together() async throws {
        try await ChainedTrail.with { trail in
            for number in 0..<50 { try await trail.write("more.\(number)") }

            let chained = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await trail.chain() } }
                return try await group.reduce(0, +)
            }

            #expect(chained == 50)
            let report = try await AuditCheck(in: trail.database).run()
            #expect(report.isIntact && report.lines == 59 && report.waiting == 0)
        }
    }

    @Test("lines that are kept no longer go with their places; their days' heads stay, and the rest follows from them")
    func purged() async throws {
        try await ChainedTrail.with { trail in
            #expect(try await trail.purge(after: 30) == 0)
            let gone = try await trail.purge(after: 1)
            let again = try await trail.purge(after: 1)
            try await trail.chain()
            let report = try await AuditCheck(in: trail.database).run()
            let kept: [Int64] = try await trail.database.query("select id from audit order by id").map { try $0("id") }

            #expect(gone == 3 && again == 0 && kept == [4, 5, 6, 7, 8, 9, 10])
            #expect(report.isIntact && report.days == 3 && report.purgedDays == 1 && report.lines == 7)
            try await trail.database.execute("update audit_head set hash = sha256('x') where purged_at is not null")
            #expect(try await trail.problems() == ["head - 4"])
        }
    }

    @Test("a day whose head says that its lines were forgotten, and that no line tells so, is missed")
    func forgedPurge() async throws {
        try await ChainedTrail.with { trail in
            func hide(_ places: ClosedRange<Int>) async throws {
                try await trail.database.execute(
                    """
                    update audit_head set purged_at = \(trail.time.now) where first >= \(places.lowerBound)
                        and last <= \(places.upperBound)
                    """)
                try await trail.database.execute(
                    """
                    delete from audit where id in (select k.line from audit_link k
                        where k.place between \(places.lowerBound) and \(places.upperBound))
                    """)
            }

            try await hide(4...6)
            #expect(try await trail.problems() == ["missing - 4"])
            #expect(try await trail.problems(since: "2100-01-01") == [])
            try await hide(1...3)
            #expect(try await trail.problems() == ["missing - 4"])
        }
    }

    @Test("days behind those that were forgotten cannot go with them, nor one that is not over")
    func forgedBehindPurge() async throws {
        try await ChainedTrail.with { trail in
            #expect(try await trail.purge(after: 1) == 3)
            try await trail.chain()
            #expect(try await trail.problems() == [])

            try await trail.database.execute("update audit_head set purged_at = \(trail.time.now) where first = 4")
            #expect(try await trail.problems() == ["missing - 4"])
            try await trail.database.execute("update audit_head set purged_at = null where first = 4")
            try await trail.database.execute("update audit_head set purged_at = day where first = 1")
            #expect(try await trail.problems() == ["missing - 1"])
        }
    }

    @Test("an export that is read while its day grows ends where the head said that it told first")
    func growingExport() async throws {
        try await ChainedTrail.with { trail in
            let export = AuditExport(in: trail.database)
            let head = try #require(try await AuditHead.list(in: trail.database).last)
            let first = try await export.page(since: head.day, until: head.day, after: nil, limit: 2)
            try await trail.write("later")
            try await trail.chain()
            let cursor = try #require(first.next)
            let rest = try await export.page(
                since: head.day, until: head.day, after: AuditExport.Cursor(cursor.text), limit: 10)

            #expect(first.items.first?["last"] == 9 && first.items.last?["place"] == 7)
            #expect(rest.items.map { $0["place"] } == [8, 9] && rest.next == nil)
            #expect(rest.items.last?["hash"] == first.items.first?["hash"])
            for text in ["", "2026-11-21.1", "2026-11-21T00:00:00Z.1.2", "x.1.2", "2026-11-21.1.x", "2026-02-30.1.2"] {
                #expect(AuditExport.Cursor(text) == nil)
            }
        }
    }

    @Test("what is hashed: netstrings of the columns, and a dash for one that is missing")
    func canonical() async throws {
        try await ChainedTrail.with { trail in
            try await trail.database.execute(
                """
                insert into audit (id, at, actor, action, outcome, detail) overriding system value
                values (99, '2026-11-21T08:00:00.5Z', 'ö', 'x', 'done', '{"b": 1, "a": 2}')
                """)
            let line = try #require(try await AuditProof.line(99, in: trail.database))

            #expect(
                String(decoding: line.canonical, as: UTF8.self)
                    == """
                    pando-audit-1,2:99,27:2026-11-21T08:00:00.500000Z,2:ö,-,1:x,-,-,-,4:done,16:{"a": 2, "b": 1},
                    """)
        }
    }
}
