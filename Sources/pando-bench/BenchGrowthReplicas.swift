import AsyncHTTPClient
import Base
import Database
import Foundation
import Server
import Simulators

/// Revoking where more and more processes answer from memory, each of which must have heard of it before it is done.
struct BenchGrowthReplicas: Sendable {
    static let stops = 3
    /// Where there are not as many processes, the rest are rows.
    private static let withRows = [8, 16, 32]
    /// Tokens that can be revoked in a second, one after the other.
    private static let abundance = 1_500
    private static let pause = Duration.milliseconds(100)
    /// Numbers of tokens that no other part of the bench has.
    private static let numbers = 900_000_000

    let probe: BenchGrowthProbe
    let tokens: BenchGrowthTokens
    /// Of the processes beside the first.
    let others: [Settings]

    private var server: BenchServer { probe.server }
    private var database: Database { server.composition.database }
    private var client: HTTPClient { server.load.client }
    /// Each token is revoked once: of one measure.
    private var tokensOfOne: Int { Self.abundance * probe.seconds }

    func measure(_ counts: [Int], _ figures: inout BenchGrowthFigures) async throws {
        guard let most = counts.last else { return }
        let totals = Self.withRows.filter { $0 > most }, measures = counts.count + totals.count
        BenchProgress.say("replicas: filling")
        // The last number is that of the token that all are asked for, and before it those for the stopped one.
        let last = Self.numbers + tokensOfOne * measures + Self.stops
        try await tokens.fill(Self.numbers...last)
        try await tokens.settle()
        let asked = server.byMachine("/introspect", [("token", try await tokens.signed(last))])
        var next = Self.numbers
        for count in counts {
            BenchProgress.say("replicas: \(count)")
            let first = next
            let rows = try await serving(others.prefix(count - 1), beside: [probe.served]) { served in
                try await asking(served, asked) {
                    try await measured(served, count == most ? totals : [], from: first, asked)
                }
            }
            next += tokensOfOne
            for row in rows {
                guard let total = row.total else {
                    figures.add(row.row, comparedWith: name(count))
                    continue
                }
                figures.add(
                    row.row, to: "median", .replicas, size: total, isHollow: total > count,
                    second: ("99 of 100 are faster", row.row.p99))
            }
        }
    }

    // MARK: Measuring

    private struct Measured: Sendable {
        /// Replicas; `nil` where one of them was stopped.
        let total: Int?
        let row: BenchRow
    }

    private func name(_ count: Int, rows: Int = 0) -> String {
        let all = "revocation, \(BenchSizes.text(count, of: "replica"))"
        return rows == 0 ? all : "\(all), \(rows) of them rows"
    }

    /// With these processes, then with rows up to each of `totals`, then with one of the processes stopped.
    private func measured(
        _ served: [ServedProcess], _ totals: [Int], from first: Int, _ asked: DemoRequest
    ) async throws -> [Measured] {
        var all: [Measured] = [], next = first
        for total in [served.count] + totals {
            let rows = total - served.count
            try await insert(rows: rows)
            try await Self.wait(forLeases: total, in: database)
            let row = try await row(name(total, rows: rows), next..<next + tokensOfOne, asked)
            all.append(Measured(total: total, row: row))
            next += tokensOfOne
        }
        try await insert(rows: 0)
        if !totals.isEmpty, let last = served.last, served.count > 1 {
            let row = try await stopping(last, of: served.count, from: next)
            all.append(Measured(total: nil, row: row))
        }
        return all
    }

    private func row(_ name: String, _ numbers: Range<Int>, _ asked: DemoRequest) async throws -> BenchRow {
        var requests: [DemoRequest] = []
        for number in numbers {
            requests.append(server.byMachine("/revoke", [("token", try await tokens.signed(number))]))
        }
        let row = try await probe.measure(requests, areSpent: true, warm: [asked], name)
        try await requireDead(numbers.lowerBound + 1)
        return BenchRow(
            name: name, value: row.p50 ?? 0, unit: .milliseconds, p50: row.p50, p99: row.p99, cost: row.cost)
    }

    /// Revoking answers 200 whether or not there was something to revoke. wrk does not send the first request.
    private func requireDead(_ number: Int) async throws {
        let token = try await tokens.signed(number)
        try await probe.require(server.byMachine("/introspect", [("token", token)]), isActive: false)
    }

    /// One revocation each time it is stopped: it waits for as long as the lease that was running lasts.
    private func stopping(_ stopped: ServedProcess, of count: Int, from first: Int) async throws -> BenchRow {
        BenchProgress.say("replicas: one of \(count) stopped")
        var times: [Int64] = []
        for number in first..<first + Self.stops {
            let request = server.byMachine("/revoke", [("token", try await tokens.signed(number))])
            try await Self.wait(forLeases: count, in: database)
            kill(stopped.process, SIGSTOP)
            // Also when this fails: what is stopped does not end when it is told to.
            defer { kill(stopped.process, SIGCONT) }
            let start = ContinuousClock.now, answer = try await server.send(request)
            times.append(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
            guard answer.isGood else { throw BenchFailure.refused(status: answer.status, answer.body.text) }
            try await requireDead(number)
        }
        let samples = BenchSamples(times, seconds: 0)
        return BenchRow(
            name: "revocation, one of \(count) stopped", value: samples.percentile(50), unit: .milliseconds,
            p50: samples.percentile(50), p99: samples.percentile(100))
    }

    // MARK: Replicas

    /// These processes beside those that run, for as long as `body`.
    private func serving<Result: Sendable>(
        _ rest: ArraySlice<Settings>, beside served: [ServedProcess], _ body: ([ServedProcess]) async throws -> Result
    ) async throws -> Result {
        guard let next = rest.first else { return try await body(served) }
        return try await ServedProcess.run(next, client) { one in
            try await serving(rest.dropFirst(), beside: served + [one], body)
        }
    }

    /// Each is asked again and again meanwhile, and so has a lease.
    private func asking<Result: Sendable>(
        _ served: [ServedProcess], _ asked: DemoRequest, _ body: () async throws -> Result
    ) async throws -> Result {
        let addresses = served.map(\.address)
        let questions = Task {
            await withDiscardingTaskGroup { group in
                for address in addresses { group.addTask { await ask(at: address, asked) } }
            }
        }
        do {
            let result = try await body()
            questions.cancel()
            await questions.value
            return result
        } catch {
            questions.cancel()
            await questions.value
            throw error
        }
    }

    /// One that is stopped does not answer.
    private func ask(at address: String, _ asked: DemoRequest) async {
        let request = server.request(
            DemoRequest(
                method: asked.method, url: address + asked.path, headers: asked.headers, body: asked.body))
        while !Task.isCancelled {
            if let answer = try? await client.execute(request, timeout: .seconds(2)) {
                _ = try? await answer.body.collect(upTo: 1 << 16)
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// So many rows of replicas that have seen everything, and no others that have.
    private func insert(rows: Int) async throws {
        _ = try await database.batch([
            "delete from replica where seen = \(Int.max)",
            """
            insert into replica (id, lease_until, seen)
            select gen_random_uuid(), clock_timestamp() + interval '1 hour', \(Int.max)
            from generate_series(1, \(rows)::integer)
            """,
        ])
    }

    /// Until so many replicas have one that runs.
    static func wait(forLeases count: Int, in database: Database) async throws {
        for _ in 0..<300 {
            let running: Int =
                try await database.query("select count(*) as n from replica where lease_until > clock_timestamp()")
                .first.map { try $0("n") } ?? 0
            if running == count { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchFailure.lives("there are not \(count) replicas with a lease")
    }
}
