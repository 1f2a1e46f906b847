import AsyncHTTPClient
import Base
import Database
import Foundation

/// What the machine can do without us: the lines that ours are compared with.
struct BenchCeilings: Sendable {
    static let commit = commits(by: clients)
    static let lone = "one-row commit, 1 client"
    static let read = "primary-key read, 8 clients"
    static let deepRead = "primary-key read, 64 clients"
    static let ownRead = "primary-key read through Database, 64 callers"
    static let check = "lineage check in SQL, 8 clients"
    static let answer = "bare answer over HTTP"

    private static let clients = 8
    private static let callers = 64

    static func commits(by clients: Int) -> String { "one-row commit, \(clients) clients" }

    let pgbench: Pgbench
    let database: Database
    let seconds: Int

    /// PostgreSQL alone. The tables are ours alone, so that their sizes are known.
    func measure(_ tokens: BenchTokens, _ plan: BenchCheckPlan, _ report: inout BenchReport) async throws {
        try await measureCommits(by: BenchCeilings.clients, &report)
        try await prepare(tokens)
        let id = "('\(tokens.prefix)' || lpad((:n)::text, 12, '0'))::uuid",
            draw = "\\set n random(1, \(BenchTokens.many - 1))\n"
        let read = try await pgbench.run(
            draw + "select body from bench.plain where id = \(id);", clients: BenchCeilings.clients, seconds: seconds)
        let check = try await pgbench.run(
            draw + plan.statement.replacing("$1", with: id) + ";", clients: BenchCeilings.clients, seconds: seconds)
        let deep = try await pgbench.run(
            draw + "select body from bench.plain where id = \(id);", clients: BenchCeilings.callers, seconds: seconds)
        report.rows += [
            BenchRow(name: BenchCeilings.read, value: read.perSecond, unit: .perSecond),
            BenchRow(name: BenchCeilings.check, value: check.perSecond, unit: .perSecond, ceiling: BenchCeilings.read),
            BenchRow(name: BenchCeilings.deepRead, value: deep.perSecond, unit: .perSecond),
            BenchRow(
                name: BenchCeilings.ownRead, value: try await ownReads(tokens), unit: .perSecond,
                ceiling: BenchCeilings.deepRead),
        ]
    }

    /// The same read by our own connections, from as many tasks.
    private func ownReads(_ tokens: BenchTokens) async throws -> Double {
        let start = ContinuousClock.now, end = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<BenchCeilings.callers {
                group.addTask {
                    var done = 0
                    while ContinuousClock.now < end {
                        let digits = String(Int.random(in: 1..<BenchTokens.many))
                        let id = tokens.prefix + String(repeating: "0", count: 12 - digits.count) + digits
                        _ = try await database.query("select body from bench.plain where id = \(id)::text::uuid")
                        done += 1
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((.now - start) / .seconds(1))
    }

    /// One durable commit: of clients that may share its flush, and of one that is alone.
    func measureCommits(by clients: Int, _ report: inout BenchReport) async throws {
        for statement: SQL in [
            "create schema bench",
            "create table bench.commit (id bigint generated always as identity primary key, body text not null)",
        ] { _ = try await database.execute(statement) }
        let insert = "insert into bench.commit (body) values ('sixteen letters.');"
        let commit = try await pgbench.run(insert, clients: clients, seconds: seconds)
        let lone = try await pgbench.run(insert, clients: 1, seconds: min(seconds, 2))
        report.rows += [
            BenchRow(name: BenchCeilings.commits(by: clients), value: commit.perSecond, unit: .perSecond),
            BenchRow(name: BenchCeilings.lone, value: lone.latency, unit: .milliseconds),
        ]
    }

    private func prepare(_ tokens: BenchTokens) async throws {
        for statement: SQL in [
            "create table bench.plain (id uuid primary key, body text not null)",
            """
            insert into bench.plain (id, body) select (\(tokens.prefix) || lpad(n::text, 12, '0'))::uuid,
                md5(n::text) from generate_series(1, \(BenchTokens.many - 1)::integer) n
            """,
            "vacuum (analyze) bench.plain",
        ] { _ = try await database.execute(statement) }
    }
}
