import Base
import Database
import Foundation
import Server
import TokenTree

/// Revoking a node above 1 token and above 100,000: time, WAL, and the proof that it is one row either way.
struct BenchRevocation: Sendable {
    static let rounds = 25
    private static let by = AuditActor(name: "admin:bench", origin: "cli", reason: "measuring a revocation")

    let composition: Composition
    let tokens: BenchTokens

    private var database: Database { composition.database }

    /// Both in turn, each revocation undone by hand afterwards, so that the next one ends as many live tokens.
    func measure(_ report: inout BenchReport) async throws {
        let nodes = [tokens.aboveOne, tokens.aboveMany], counts = [1, BenchTokens.many]
        for (node, count) in zip(nodes, counts) {
            let live = try await BenchTokens.live(below: node, in: database)
            guard live == count else { throw BenchFailure.lives("\(live) live tokens below a node, not \(count)") }
        }
        report.revocationWrote = try await written(revoking: tokens.aboveMany)
        var times: [[Int64]] = [[], []], bytes: [[Double]] = [[], []]
        for _ in 0..<BenchRevocation.rounds {
            for index in nodes.indices {
                let start = try await BenchWAL.position(database)
                let time = try await ContinuousClock().measure {
                    _ = try await composition.revocation.revoke(.token(nodes[index]), by: BenchRevocation.by)
                }
                bytes[index].append(try await BenchWAL.bytes(since: start, database))
                times[index].append(Int64(time / .nanoseconds(1)))
                guard try await composition.store.find(tokens.leaves[index])?.isRevoked == true else {
                    throw BenchFailure.lives("a token below is not revoked")
                }
                _ = try await database.execute("delete from revocation where node = \(nodes[index])")
            }
        }
        let names = ["revocation above 1 token", "revocation above \(BenchTokens.many) tokens"]
        for (index, name) in names.enumerated() {
            let samples = BenchSamples(times[index], seconds: 0)
            report.rows.append(
                BenchRow(
                    name: name, value: samples.percentile(50), unit: .milliseconds, p50: samples.percentile(50),
                    p99: samples.percentile(99),
                    ceiling: index == 0 ? BenchCeilings.lone : names[0]))
        }
        for (index, name) in names.enumerated() {
            report.rows.append(
                BenchRow(
                    name: "\(name), WAL", value: bytes[index].sorted()[BenchRevocation.rounds / 2], unit: .bytes,
                    ceiling: index == 0 ? nil : "\(names[0]), WAL"))
        }
    }

    /// What a revocation writes, counted in its own transaction, which is then undone: one row of `revocation`, one of
    /// `audit`, and nothing else changed or gone.
    private func written(revoking node: NodeID) async throws -> String {
        try await database.rollingBack { transaction in
            let before = try await BenchCensus.take(transaction)
            try await composition.revocation.revoke(.token(node), by: BenchRevocation.by, in: transaction)
            let after = try await BenchCensus.take(transaction)
            for (table, count) in after {
                let rows = ["revocation", "audit"].contains(table) ? 1 : 0
                guard count.written == rows, count.all == (before[table]?.all ?? 0) + rows else {
                    throw BenchFailure.wrote(
                        """
                        \(table) had \(before[table]?.all ?? 0) rows, has \(count.all), and \(count.written) of them \
                        were written
                        """
                    )
                }
            }
            let live = try await BenchTokens.live(below: node, in: transaction)
            guard live == 0 else { throw BenchFailure.lives("\(live) tokens below a revoked node live") }
            return
                """
                one row of revocation and one of audit added; no other row of \(after.count) tables added, changed \
                or deleted; \(BenchTokens.many) tokens dead
                """
        }
    }
}

/// Rows of each table, and how many of them this transaction wrote: a changed row is a new version with the
/// transaction's number.
enum BenchCensus {
    static func take(_ transaction: any SQLExecutor) async throws -> [String: (all: Int, written: Int)] {
        let tables = try await transaction.query(
            """
            select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
                and c.relnamespace = current_schema()::regnamespace
            """)
        var census: [String: (all: Int, written: Int)] = [:]
        for table in try tables.map({ try $0("name") as String }) {
            census[table] = try await transaction.query(
                """
                select count(*) as rows, count(*) filter (where xmin::text::bigint =
                    pg_current_xact_id()::text::bigint & 4294967295) as written from \(identifier: table)
                """
            ).first.map { (try $0("rows"), try $0("written")) }
        }
        return census
    }
}

/// Positions in the write-ahead log of a server that nobody else uses.
enum BenchWAL {
    static func position(_ database: Database) async throws -> String {
        try await database.query("select pg_current_wal_insert_lsn()::text as position").first.map {
            try $0("position")
        } ?? "0/0"
    }

    static func bytes(since start: String, _ database: Database) async throws -> Double {
        try await database.query(
            "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), \(start)::text::pg_lsn)::float8 as bytes"
        ).first.map { try $0("bytes") } ?? 0
    }
}
