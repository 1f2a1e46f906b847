import AsyncHTTPClient
import Base
import Database
import Foundation

/// What the machine can do without us: the lines that ours are compared with.
struct BenchCeilings: Sendable {
    static let commit = "one-row commit, 8 clients"
    static let lone = "one-row commit, 1 client"
    static let read = "primary-key read, 8 clients"
    static let check = "lineage check in SQL, 8 clients"
    static let answer = "bare answer over HTTP"

    private static let clients = 8

    let pgbench: Pgbench
    let database: Database
    let seconds: Int

    /// PostgreSQL alone. The tables are ours alone, so that their sizes are known.
    func measure(_ tokens: BenchTokens, _ plan: BenchCheckPlan, _ report: inout BenchReport) async throws {
        try await prepare(tokens)
        let insert = "insert into bench.commit (body) values ('sixteen letters.');"
        let commit = try await pgbench.run(insert, clients: BenchCeilings.clients, seconds: seconds)
        let lone = try await pgbench.run(insert, clients: 1, seconds: min(seconds, 2))
        let id = "('\(tokens.prefix)' || lpad((:n)::text, 12, '0'))::uuid", draw = "\\set n random(1, \(BenchTokens.many - 1))\n"
        let read = try await pgbench.run(draw + "select body from bench.plain where id = \(id);", clients: BenchCeilings.clients, seconds: seconds)
        let check = try await pgbench.run(draw + plan.statement.replacing("$1", with: id) + ";", clients: BenchCeilings.clients, seconds: seconds)
        report.rows += [
            BenchRow(name: BenchCeilings.commit, value: commit.perSecond, unit: .perSecond, p50: nil, p99: nil),
            BenchRow(name: BenchCeilings.lone, value: lone.latency, unit: .milliseconds),
            BenchRow(name: BenchCeilings.read, value: read.perSecond, unit: .perSecond),
            BenchRow(name: BenchCeilings.check, value: check.perSecond, unit: .perSecond, ceiling: BenchCeilings.read),
        ]
    }

    private func prepare(_ tokens: BenchTokens) async throws {
        for statement: SQL in [
            "create schema bench",
            "create table bench.commit (id bigint generated always as identity primary key, body text not null)",
            "create table bench.plain (id uuid primary key, body text not null)",
            """
            insert into bench.plain (id, body) select (\(tokens.prefix) || lpad(n::text, 12, '0'))::uuid, md5(n::text) from generate_series(1, \(BenchTokens.many - 1)::integer) n
            """,
            "vacuum (analyze) bench.plain",
        ] { _ = try await database.execute(statement) }
    }
}
