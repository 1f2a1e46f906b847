import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("the audit trail: what anybody can cause again and again")
struct AuditTallyTests {
    private static let start = Date(numericDate: 1_800_000_000)

    private func entry(
        _ reason: String = "wrong_password", account: UUID? = nil, origin: String = "192.0.2.1",
        action: String = "login"
    ) -> AuditEntry {
        AuditEntry(
            actor: AuditActor(name: "browser:x", origin: origin, reason: reason), action: action, account: account,
            outcome: "refused")
    }

    private func told(_ filter: AuditFilter, _ database: Database) async throws -> [String] {
        try await AuditTrail.list(filter, in: database).map {
            "\($0.json["action"]?.string ?? "") \($0.json["reason"]?.string ?? "") \($0.json["count"]?.integer ?? 0)"
        }
    }

    @Test(
        """
        a hundred at once are one row, told at once and written as one line when the minute is over, by whoever \
        comes first
        """
    )
    func flood() async throws {
        try await TestDatabase.with { test in
            let database = test.database, account = UUID(), start = AuditTallyTests.start
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await AuditTally.count(
                            entry(account: account, origin: "192.0.2.\(number)"), at: start.addingTimeInterval(1),
                            in: database)
                    }
                }
                try await group.waitForAll()
            }
            let early = try await AuditTally.settle(at: start.addingTimeInterval(59), in: database)
            let counting = try await told(AuditFilter(account: account), database)

            let written = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await AuditTally.settle(at: start.addingTimeInterval(60), in: database) }
                }
                return try await group.reduce(0, +)
            }
            let settled = try await told(AuditFilter(account: account), database)
            let left: Int = try await database.value("select count(*) from audit_tally"),
                lines: Int = try await database.value("select count(*) from audit")

            #expect(early == 0 && counting == ["login wrong_password 100"])
            #expect(written == 1 && settled == ["login wrong_password 100"] && left == 0 && lines == 1)
        }
    }

    @Test("another account, reason, action or minute is another line")
    func apart() async throws {
        try await TestDatabase.with { test in
            let database = test.database, start = AuditTallyTests.start, ada = UUID()
            for counted in [
                entry(), entry(account: ada), entry("suspended", account: ada),
                entry(account: ada, action: "login.app"), entry(account: ada),
            ] {
                try await AuditTally.count(counted, at: start, in: database)
            }
            try await AuditTally.count(entry(account: ada), at: start.addingTimeInterval(60), in: database)

            #expect(try await AuditTally.settle(at: start.addingTimeInterval(60), in: database) == 4)
            #expect(try await AuditTally.settle(at: start.addingTimeInterval(3_600), in: database) == 1)
            #expect(try await database.value("select count(*) from audit where (detail ->> 'count')::int = 2") == 1)
        }
    }

    @Test("filters, and cursors across what is counted and what is written")
    func filters() async throws {
        try await TestDatabase.with { test in
            let database = test.database, start = AuditTallyTests.start, ada = UUID(), bob = UUID()
            for number in 0..<4 {
                let line = AuditEntry(
                    actor: AuditActor(name: "admin:root"),
                    action: "login\(number == 3 ? "s" : number == 2 ? ".app" : "")", account: ada)
                try await AuditTrail.write(line, at: start.addingTimeInterval(Double(number)), in: database)
            }
            try await AuditTally.count(entry("a", account: ada), at: start.addingTimeInterval(10), in: database)
            try await AuditTally.count(entry("b", account: bob), at: start.addingTimeInterval(11), in: database)

            #expect(
                try await told(AuditFilter(account: ada), database) == [
                    "login a 1", "logins  1", "login.app  1", "login  1", "login  1",
                ])
            #expect(
                try await told(AuditFilter(action: "login"), database) == [
                    "login b 1", "login a 1", "login.app  1", "login  1", "login  1",
                ])
            #expect(try await told(AuditFilter(outcome: "refused"), database) == ["login b 1", "login a 1"])
            #expect(
                try await told(
                    AuditFilter(
                        actor: "admin:root", since: start.addingTimeInterval(1), until: start.addingTimeInterval(3)),
                    database)
                    == ["login.app  1", "login  1"])

            var seen: [String] = [], after: Int64?
            repeat {
                let page = try await AuditTrail.list(AuditFilter(after: after, limit: 1), in: database)
                seen += page.map { $0.json["at"]?.string ?? "" }
                after = page.last?.id
            } while after != nil
            #expect(seen == [11, 10, 3, 2, 1, 0].map { start.addingTimeInterval($0).rfc3339 })
        }
    }
}
