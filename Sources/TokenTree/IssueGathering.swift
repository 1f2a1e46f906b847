import Base
import Database

/// Tokens that are issued at the same time are written in one transaction, each by its own statement, which tells
/// whether it was made.
///
/// All locks come before the first insert, since a statement sees only what was committed when it began. A node's
/// place among them is the deepest that it has in any lineage: root first, as a rule. Whom that lets meet a revocation
/// head on waits for a tenth of a second at most. What several may want at once, they take in one order everywhere.
struct IssueGathering: Sendable {
    struct Insertion: Sendable {
        /// Ancestors that are held, root first.
        var above: [NodeID] = []
        /// What others may want at the same time: the family that it rotates, or the identifier that it uses up.
        var wanted: NodeID?
        /// Gives a row if the token was made.
        let statement: SQL
    }

    /// Tokens of one transaction: with eleven ancestors each, some 350 locks of PostgreSQL's shared table at most.
    static let most = 32

    /// `nil`: not together with these others.
    private let together: GroupCommit<Insertion, [Row]?>
    private let alone: GroupCommit<Insertion, [Row]>

    init(database: Database, partitions: PartitionKeeper) {
        @Sendable func write(_ batch: [Insertion], briefly: Bool) async throws -> [[Row]] {
            let locks = TokenStore.lockShared(IssueGathering.order(batch.map(\.above)), briefly: briefly)
            let places = batch.indices.sorted {
                (batch[$0].wanted?.lockNumber ?? 0, $0) < (batch[$1].wanted?.lockNumber ?? 0, $1)
            }
            let made = try await partitions.withPartition(retrying: true) {
                try await database.batchAlone([locks] + places.map { batch[$0].statement })
            }
            var outcomes = [[Row]](repeating: [], count: batch.count)
            for (place, rows) in zip(places, made.dropFirst()) { outcomes[place] = rows }
            return outcomes
        }
        together = GroupCommit("tokens", most: IssueGathering.most, room: 16 * IssueGathering.most) { batch in
            do {
                return try await write(batch, briefly: true)
            } catch let error as DatabaseError where !error.isOfAll {
                return batch.map { _ in nil }
            }
        }
        alone = GroupCommit("tokens", lanes: 4, most: 1, room: 64) { try await write($0, briefly: false) }
    }

    /// What its statement gave when the token was made, durably. No row: it was refused.
    ///
    /// Where one of those that came together has to wait for a revocation, or fails, each goes by itself.
    func commit(_ insertion: Insertion) async throws -> [Row] {
        if let made = try await together.commit(insertion) { return made }
        return try await alone.commit(insertion)
    }

    /// Each node once.
    static func order(_ lineages: [[NodeID]]) -> [NodeID] {
        if lineages.count == 1 { return lineages[0] }
        var depths: [NodeID: Int] = [:]
        for lineage in lineages {
            for (depth, node) in lineage.enumerated() { depths[node] = max(depths[node] ?? 0, depth) }
        }
        return depths.sorted { ($0.value, $0.key.description) < ($1.value, $1.key.description) }.map(\.key)
    }
}
