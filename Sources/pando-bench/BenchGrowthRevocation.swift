import Base
import Database
import Foundation
import Server
import TokenTree

/// Revoking a client's node above one token, and above many: time and WAL.
struct BenchGrowthRevocation: Sendable {
    static let rounds = 25
    private static let by = AuditActor(name: "admin:bench", origin: "cli", reason: "measuring a revocation")
    /// Numbers of tokens that no other part of the bench has.
    private static let numbers = 1_000_000_000

    private struct Group: Sendable {
        let size: Int
        let client: Ancestor
        let generation: NodeID
        /// The number of one of its tokens.
        let leaf: Int
    }

    let composition: Composition
    let tokens: BenchGrowthTokens

    private var database: Database { composition.database }

    /// All in turn, each revocation undone by hand afterwards, so that the next one ends as many live tokens.
    func measure(_ sizes: [Int], _ figures: inout BenchGrowthFigures) async throws {
        BenchProgress.say("revocations above \(sizes.map { BenchSizes.text($0) }.joined(separator: ", "))")
        let groups = try await groups(sizes)
        try await BenchGrowthReplicas.wait(forLeases: 0, in: database)
        var times: [[Int64]] = groups.map { _ in [] }, bytes: [[Double]] = groups.map { _ in [] }
        for _ in 0..<Self.rounds {
            for (index, group) in groups.enumerated() {
                let start = try await BenchWAL.position(database)
                let time = try await ContinuousClock().measure {
                    _ = try await composition.revocation.revoke(.virtual(group.client), by: Self.by)
                }
                bytes[index].append(try await BenchWAL.bytes(since: start, database))
                times[index].append(Int64(time / .nanoseconds(1)))
                try await require(group, isRevoked: true)
                try await undo(group)
            }
        }
        for (index, group) in groups.enumerated() {
            let samples = BenchSamples(times[index], seconds: 0), name = name(group)
            figures.add(
                BenchRow(
                    name: name, value: samples.percentile(50), unit: .milliseconds, p50: samples.percentile(50),
                    p99: samples.percentile(99)),
                to: "median", .below, size: group.size)
        }
        for (index, group) in groups.enumerated() {
            figures.add(
                BenchRow(name: "\(name(group)), WAL", value: bytes[index].sorted()[Self.rounds / 2], unit: .bytes),
                kind: "WAL of a revocation")
        }
    }

    private func name(_ group: Group) -> String { "revocation above \(BenchSizes.text(group.size, of: "token"))" }

    private func groups(_ sizes: [Int]) async throws -> [Group] {
        var groups: [Group] = []
        for (index, size) in sizes.enumerated() {
            let client = Ancestor(.client, "bench-growth-\(size)"), first = Self.numbers * (index + 1)
            let generation = try await composition.store.generations(of: [client])[0]
            try await tokens.fill(first...first + size - 1, below: generation)
            groups.append(Group(size: size, client: client, generation: generation, leaf: first))
        }
        try await tokens.settle(["token", "ancestor"])
        for group in groups {
            let live = try await BenchTokens.live(below: group.generation, in: database)
            guard live == group.size else {
                throw BenchFailure.lives("\(live) live tokens below a node, not \(group.size)")
            }
            try await require(group, isRevoked: false)
        }
        return groups
    }

    private func require(_ group: Group, isRevoked: Bool) async throws {
        guard try await composition.store.find(tokens.token(group.leaf).id)?.isRevoked == isRevoked else {
            throw BenchFailure.lives("a token below is \(isRevoked ? "not revoked" : "revoked already")")
        }
    }

    /// The same generation is open again.
    private func undo(_ group: Group) async throws {
        _ = try await database.batch([
            "delete from revocation where node = \(group.generation)",
            """
            insert into ancestor (kind, name, id, opened_at)
                values (\(group.client.kind), \(group.client.name), \(group.generation), now())
            """,
        ])
    }
}
