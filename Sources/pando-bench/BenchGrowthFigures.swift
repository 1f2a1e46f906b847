import AsyncHTTPClient
import Base
import Foundation
import Server
import Simulators

/// Rows in the order in which they were measured, and which of them belong to one line of the picture.
struct BenchGrowthFigures: Sendable {
    /// A part of the picture: what its sizes are sizes of.
    enum Part: String, CaseIterable, Sendable {
        case tokens = "requests a second, by live tokens"
        case below = "ms of a revocation, by live tokens below it"
        case replicas = "ms of a revocation, by replicas with a lease; where a point is hollow, some are rows"
    }

    struct Point: Sendable {
        let size: Int
        let value: Double
        /// Part of the size stands for what would be there.
        let isHollow: Bool
    }

    struct Line: Sendable {
        let part: Part
        let name: String
        var points: [Point] = []
        /// The row of the smallest size.
        let first: String
    }

    private(set) var rows: [BenchRow] = []
    private(set) var lines: [Line] = []
    /// Rows that no line has, by the name of what grows: the first of each.
    private var firsts: [String: String] = [:]

    /// A row of a line; its ratio is to the row with which the line began. `second` is a further value of the row, and
    /// drawn as a line beside it.
    mutating func add(
        _ row: BenchRow, to name: String, _ part: Part, size: Int, isHollow: Bool = false,
        second: (name: String, value: Double?)? = nil
    ) {
        let first = draw(Point(size: size, value: row.value, isHollow: isHollow), name, part, of: row)
        append(row, comparedWith: first)
        if let second, let value = second.value {
            _ = draw(Point(size: size, value: value, isHollow: isHollow), second.name, part, of: row)
        }
    }

    /// A row that is not drawn; its ratio is to the first one of the same `kind`.
    mutating func add(_ row: BenchRow, kind: String) {
        append(row, comparedWith: firsts[kind])
        if firsts[kind] == nil { firsts[kind] = row.name }
    }

    /// A row that is compared with another that was named.
    mutating func add(_ row: BenchRow, comparedWith other: String) { append(row, comparedWith: other) }

    private mutating func append(_ row: BenchRow, comparedWith other: String?) {
        var row = row
        row.ceiling = other == row.name ? nil : other
        rows.append(row)
    }

    /// Gives the row with which the line began.
    private mutating func draw(_ point: Point, _ name: String, _ part: Part, of row: BenchRow) -> String {
        let place =
            lines.firstIndex { $0.name == name && $0.part == part }
            ?? {
                lines.append(Line(part: part, name: name, first: row.name))
                return lines.count - 1
            }()
        lines[place].points.append(point)
        return lines[place].first
    }
}

/// One measure of the served program under wrk.
struct BenchGrowthProbe: Sendable {
    let server: BenchServer
    let served: ServedProcess
    let wrk: Wrk
    let seconds: Int

    /// After a second of `warm`, so that none of `requests` is used up before the clock runs.
    func measure(
        _ requests: [DemoRequest], areSpent: Bool, warm: [DemoRequest], _ name: String
    ) async throws -> BenchRow {
        let database = server.composition.database, client = server.load.client
        let file = try wrk.write(requests, areSpent: areSpent)
        let warmUp = try await wrk.run(
            try wrk.write(warm, areSpent: false), at: served.address, from: 0, seconds: 1)
        let backend: Int = try await database.query("select pg_backend_pid() as pid").first.map { try $0("pid") } ?? 0
        let before = try await BenchCounters(page: try await served.page(client), database)
        let (cpu, postgres) = (served.cpu, ProcessTimes.postgres(besides: backend))
        let result = try await wrk.run(file, at: served.address, from: 0, seconds: seconds)
        let (cpuAfter, postgresAfter) = (served.cpu, ProcessTimes.postgres(besides: backend))
        let after = try await BenchCounters(page: try await served.page(client), database)
        guard warmUp.failures == 0, result.failures == 0, result.requests > 0 else {
            throw BenchFailure.wrk(
                "\(name): \(warmUp.failures + result.failures) answers were not 2xx, or did not come")
        }
        var cost = after.cost(since: before, requests: result.requests)
        cost.serverCPU = (cpuAfter - cpu) / Double(result.requests) * 1e6
        cost.postgresCPU = (postgresAfter - postgres) / Double(result.requests) * 1e6
        return BenchRow(
            name: name, value: result.perSecond, unit: .perSecond, p50: result.p50, p99: result.p99, cost: cost)
    }

    /// Whether introspection says so of the token, or the bench ends.
    func require(_ introspection: DemoRequest, isActive: Bool) async throws {
        let answer = try await server.send(introspection)
        guard answer.isGood, answer.body["active"]?.bool == isActive else {
            throw BenchFailure.lives("a token is \(isActive ? "dead" : "live") that must not be: \(answer.body.text)")
        }
    }
}
