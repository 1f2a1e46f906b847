import Administration
import Base
import Foundation
import Server

/// One measured line, and the line of the same run that it is compared with.
struct BenchRow: Sendable {
    enum Unit: String, Sendable {
        case perSecond = "/s"
        case milliseconds = "ms"
        case bytes = "bytes"
        case seconds = "s"
        case mebibytes = "MiB"
        /// One measure by another of the same run.
        case times = "×"
        case count = ""
    }

    let name: String
    let value: Double
    let unit: Unit
    /// Milliseconds of one request or revocation.
    var p50: Double?
    var p99: Double?
    /// The name of another line.
    var ceiling: String?
    var cost: BenchCost?
}

/// What one request asked of the database, on average over a measure.
struct BenchCost: Sendable {
    let statements: Double
    let roundTrips: Double
    let walBytes: Double
    /// Microseconds of CPU of the server and of PostgreSQL, where each is a process of its own.
    var serverCPU: Double?
    var postgresCPU: Double?
}

/// The whole run: what it ran on, what was measured, and how to read it.
struct BenchReport: Sendable {
    var machine: JSONObject = [:]
    var rows: [BenchRow] = []
    /// The plan of the statement that checks a token.
    var plan: [String] = []
    /// What the revocation was seen to write.
    var revocationWrote = ""
    var notes: [String] = []
    /// Where there are none, the ratios are drawn.
    var pictures: [BenchPicture] = []

    /// Value by the ceiling's value, both of this run and of one unit.
    func ratio(of row: BenchRow) -> Double? {
        guard let ceiling = rows.first(where: { $0.name == row.ceiling && $0.unit == row.unit }), ceiling.value > 0
        else { return nil }
        return row.value / ceiling.value
    }

    func value(of name: String) -> Double? { rows.first { $0.name == name }?.value }

    /// A line for each of these ceilings, since one that was measured has only one; `short` is what the measure is
    /// called in them.
    func comparisons(_ short: String, _ name: String, to ceilings: [String]) -> [BenchRow] {
        ceilings.compactMap { ceiling -> BenchRow? in
            guard let ours = value(of: name), let theirs = value(of: ceiling), theirs > 0 else { return nil }
            return BenchRow(name: "\(short) by: \(ceiling)", value: ours / theirs, unit: .times)
        }
    }

    // MARK: Text

    var text: String {
        let facts = machine.map { "\($0.name) \($0.value.string ?? $0.value.text)" }.joined(separator: ", ")
        let seen = [
            plan.isEmpty ? "" : "check: \(plan.joined(separator: "; "))",
            revocationWrote.isEmpty ? "" : "revocation: \(revocationWrote)",
        ].filter { !$0.isEmpty }
        let costs = rows.contains { $0.cost != nil } ? self.costs.text : ""
        return [facts, measures.text, costs, seen.joined(separator: "\n"), notes.joined(separator: "\n")].filter {
            !$0.isEmpty
        }.joined(separator: "\n\n")
    }

    private var measures: Table {
        Table(
            ["measure", "value", "p50 ms", "p99 ms", "ratio", "to"],
            rows.map { row in
                [
                    row.name, BenchReport.value(of: row), BenchReport.time(row.p50), BenchReport.time(row.p99),
                    BenchReport.time(ratio(of: row)), row.ceiling ?? "–",
                ]
            })
    }

    private var costs: Table {
        Table(
            ["one request", "statements", "round trips", "bytes of WAL", "server µs", "postgres µs"],
            rows.compactMap { row in
                row.cost.map {
                    [
                        row.name, String(format: "%.1f", $0.statements), String(format: "%.1f", $0.roundTrips),
                        String(format: "%.0f", $0.walBytes), BenchReport.whole($0.serverCPU),
                        BenchReport.whole($0.postgresCPU),
                    ]
                }
            })
    }

    private static func value(of row: BenchRow) -> String {
        switch row.unit {
        case .perSecond: String(format: "%.0f/s", row.value)
        case .milliseconds: String(format: "%.2f ms", row.value)
        case .bytes: String(format: "%.0f bytes", row.value)
        case .seconds: String(format: "%.2f s", row.value)
        case .mebibytes: String(format: "%.0f MiB", row.value)
        case .times: String(format: "%.2f ×", row.value)
        case .count: String(format: "%.0f", row.value)
        }
    }

    private static func whole(_ value: Double?) -> String { value.map { String(format: "%.0f", $0) } ?? "–" }
    private static func time(_ value: Double?) -> String { value.map { String(format: "%.2f", $0) } ?? "–" }

    // MARK: JSON

    var json: JSONValue {
        var report: JSONObject = [
            "machine": .object(machine), "measures": .array(rows.map(json)), "notes": JSONValue(strings: notes),
        ]
        if !plan.isEmpty { report["check_plan"] = JSONValue(strings: plan) }
        if !revocationWrote.isEmpty { report["cut_wrote"] = .string(revocationWrote) }
        return .object(report)
    }

    private func json(_ row: BenchRow) -> JSONValue {
        func number(_ value: Double?) -> JSONValue { value.map { .number(($0 * 1_000).rounded() / 1_000) } ?? .null }
        var object: JSONObject = [
            "name": .string(row.name), "value": number(row.value), "unit": .string(row.unit.rawValue),
            "p50_ms": number(row.p50), "p99_ms": number(row.p99),
            "ceiling": JSONValue(row.ceiling), "ratio": number(ratio(of: row)),
        ]
        if let cost = row.cost {
            object["per_request"] = [
                "statements": number(cost.statements), "round_trips": number(cost.roundTrips),
                "wal_bytes": number(cost.walBytes), "server_cpu_us": number(cost.serverCPU),
                "postgres_cpu_us": number(cost.postgresCPU),
            ]
        }
        return .object(object)
    }
}

/// Why there is no report: numbers of a run that went wrong would be believed.
enum BenchFailure: Error, CustomStringConvertible {
    case used
    case noPgbench(String)
    case noWrk
    case noPerf
    case wrk(String)
    case noServer(String)
    case pgbench(String)
    case refused(status: Int, String)
    case notServing
    case wrote(String)
    case lives(String)
    case told(String)
    case noSites(String)
    case noTiqr
    case noOperations
    case noLiquid
    case noDescriptors(Int)
    case noSockets(String)
    case lostSockets(opened: Int, alive: Int)
    case emptyList
    case wrongAnswers(Int)

    var description: String {
        switch self {
        case .used: "this database has been in use: the bench fills one of its own. `make bench` makes it"
        case .noPgbench(let folder): "there is no pgbench in \(folder): Debian's package postgresql brings it"
        case .noWrk: "there is no wrk in the PATH: Debian's package wrk brings it"
        case .wrk(let text): "wrk failed: \(text)"
        case .noServer(let path): "there is no \(path): `make release` builds it, `make bench` both"
        case .pgbench(let text): "pgbench failed: \(text)"
        case .refused(let status, let text): "a request was refused while being measured: \(status) \(text)"
        case .notServing: "the server under measurement did not start"
        case .wrote(let text): "a revocation wrote more than its row: \(text)"
        case .noSites(let text): "the sites to crawl did not start: \(text)"
        case .noTiqr: "the role tiqr does not run here: see `pando config show`"
        case .noPerf:
            "perf did not run: install linux-perf, and let it see processes (sysctl kernel.perf_event_paranoid)"
        case .noOperations: "the role operations does not run here: see `pando config show`"
        case .noLiquid: "the role liquid does not run here: see `pando config show`"
        case .noDescriptors(let count): "\(count) file descriptors are too few: raise `ulimit -n`"
        case .noSockets(let text):
            "the other ends of sockets failed: \(text.trimmingCharacters(in: .whitespacesAndNewlines))"
        case .lostSockets(let opened, let alive):
            "\(opened) sockets were opened, and \(alive) of them were there at the end"
        case .emptyList: "a list does not have what waits for its phone, or has what does not"
        case .wrongAnswers(let count):
            "\(count) answers of phones were refused while being measured, and all of them are right"
        case .told(let text): "services were not told as they must be: \(text)"
        case .lives(let text): "before or after a revocation the tree is not as it must be: \(text)"
        }
    }
}
