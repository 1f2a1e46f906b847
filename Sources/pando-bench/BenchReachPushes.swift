import Base
import Database
import Foundation
import Server
import TokenTree

/// A version that is revoked above many instances, and the services that are pushed to.
struct BenchReachPushes: Sendable {
    static let by = AuditActor(name: "admin:bench", origin: "cli", reason: "measuring how a revocation reaches")

    let composition: Composition
    let receiver: BenchReceiver
    let version: Ancestor
    let instances: Int
    let services: [String]
    /// An assertion below.
    let leaf: NodeID

    private var database: Database { composition.database }

    /// The first round is not counted: nobody listens yet. Each is undone by hand.
    func rows(_ rounds: Int) async throws -> [BenchRow] {
        var revoking: [Int64] = [], first: [Int64] = [], last: [Int64] = [], each: [Int64] = []
        for round in 0...rounds {
            receiver.forget()
            let told = try await count("outbox"), begun = ContinuousClock.now
            let outcome = try await composition.revocation.revoke(.virtual(version), by: Self.by)
            let revoked = ContinuousClock.now - begun
            guard Set(outcome.services) == Set(services), try await count("outbox") == told + services.count else {
                throw BenchFailure.told("not one row of outbox for each of \(services.count) services")
            }
            let came = try await receiver.first(services.count, below: "/", within: .seconds(60))
            try await BenchReachPushes.settled(database)
            guard receiver.all(below: "/").count == services.count, Set(came.map(\.path)).count == services.count else {
                throw BenchFailure.told("a service was pushed to twice")
            }
            guard try await composition.store.find(leaf)?.isRevoked == true else {
                throw BenchFailure.lives("an assertion below is not revoked")
            }
            try await undo()
            guard round > 0 else { continue }
            let times = came.map { Int64(($0.at - begun) / .nanoseconds(1)) }
            revoking.append(Int64(revoked / .nanoseconds(1)))
            first.append(times.min() ?? 0)
            last.append(times.max() ?? 0)
            each += times
        }
        let below = BenchSizes.text(instances, of: "instance"), count = services.count
        return [
            row("revocation above \(below)", revoking),
            BenchRow(name: "rows of outbox, \(below)", value: Double(count), unit: .count),
            row("revoke to the first of \(count) pushed", first), row("revoke to one of \(count) pushed", each),
            row("revoke to the last of \(count) pushed", last),
        ]
    }

    private func row(_ name: String, _ times: [Int64]) -> BenchRow {
        let samples = BenchSamples(times, seconds: 0)
        return BenchRow(
            name: name, value: samples.percentile(50), unit: .milliseconds, p50: samples.percentile(50),
            p99: samples.percentile(99))
    }

    private func count(_ table: String) async throws -> Int {
        try await database.query("select count(*) as rows from \(identifier: table)").first.map { try $0("rows") } ?? 0
    }

    /// Everything that was told was acknowledged.
    static func settled(_ database: Database, within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        while try await !database.query("select service from delivery where acknowledged < last limit 1").isEmpty {
            guard ContinuousClock.now < deadline else { throw BenchFailure.told("an event is not settled") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The same generation is open again.
    private func undo() async throws {
        _ = try await database.execute(
            """
            with undone as (delete from revocation where label = \(version.label) returning node)
            insert into ancestor (kind, name, id, opened_at)
                select \(version.kind), \(version.name), undone.node, now() from undone
            """)
    }
}
