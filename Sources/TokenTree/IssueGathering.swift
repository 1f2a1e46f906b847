import Base
import Database

/// Tokens that are issued at the same time are written in one transaction, each by its own statement, which tells
/// whether it was made; those that differ in nothing but identifier and times by one.
///
/// All locks come before the first insert, since a statement sees only what was committed when it began. A node's
/// place among them is the deepest that it has in any lineage: root first, as a rule. Whom that lets meet a revocation
/// head on waits for a tenth of a second at most. What several may want at once, they take in one order everywhere.
struct IssueGathering: Sendable {
    struct Insertion: Sendable {
        /// Ancestors that are held, root first, and what else is.
        let above: [NodeID]
        /// What others may want at the same time: the family that it rotates, or the identifier or token that it uses
        /// up.
        let wanted: NodeID?
        let work: Work

        enum Work: Sendable {
            case token(TokenInsertion)
            /// Gives a row if the token was made.
            case statement(SQL)
        }

        var token: TokenInsertion? { if case .token(let token) = work { token } else { nil } }
        var id: NodeID? { token?.id }

        var statement: SQL {
            switch work {
            case .token(let token): token.statement
            case .statement(let statement): statement
            }
        }

        func isLike(_ other: Insertion) -> Bool {
            guard let token, let other = other.token else { return false }
            return token.isLike(other)
        }

        init(_ token: TokenInsertion) {
            let draft = token.draft
            (above, work) = (token.held, .token(token))
            wanted = draft.using ?? draft.redeeming?.id ?? draft.changes
        }

        init(rotating family: NodeID, above: [NodeID] = [], by statement: SQL) {
            (self.above, wanted, work) = (above, family, .statement(statement))
        }
    }

    /// Tokens of one transaction: with twelve ancestors each, some 380 locks of PostgreSQL's shared table at most.
    static let most = 32

    /// `nil`: not together with these others.
    private let together: GroupCommit<Insertion, [Row]?>
    private let alone: GroupCommit<Insertion, [Row]>
    /// Those that open ancestors, which others may be opening: they hold up none but their like.
    private let opening: GroupCommit<Insertion, [Row]?>

    init(database: Database, partitions: PartitionKeeper) {
        @Sendable func write(_ batch: [Insertion], briefly: Bool) async throws -> [[Row]] {
            let locks = TokenStore.lockShared(IssueGathering.order(batch.map(\.above)), briefly: briefly)
            let parts = IssueGathering.parts(batch)
            let made = try await partitions.withPartition(retrying: true) {
                try await database.batchAlone([locks] + parts.map(\.statement))
            }
            var outcomes = [[Row]](repeating: [], count: batch.count)
            for (part, rows) in zip(parts, made.dropFirst()) {
                guard part.places.count > 1 else {
                    outcomes[part.places[0]] = rows
                    continue
                }
                for row in rows {
                    let id: NodeID = try row("id")
                    if let place = part.places.first(where: { batch[$0].id == id }) { outcomes[place] = [row] }
                }
            }
            return outcomes
        }
        @Sendable func attempt(_ batch: [Insertion]) async throws -> [[Row]?] {
            do {
                return try await write(batch, briefly: true)
            } catch let error as DatabaseError where !error.isOfAll {
                return batch.map { _ in nil }
            }
        }
        together = GroupCommit(
            "tokens", most: IssueGathering.most, room: 16 * IssueGathering.most, write: attempt)
        opening = GroupCommit(
            "registrations", most: IssueGathering.most, room: 16 * IssueGathering.most, write: attempt)
        alone = GroupCommit("tokens", lanes: 4, most: 1, room: 64) { try await write($0, briefly: false) }
    }

    /// What its statement gave when the token was made, durably. No row: it was refused.
    ///
    /// Where one of those that came together has to wait for a revocation, or fails, each goes by itself; those that
    /// open ancestors throw `ConditionFailed`: whoever wants them has a way of its own.
    func commit(_ insertion: Insertion) async throws -> [Row] {
        guard insertion.token?.draft.opening.isEmpty != false else {
            guard let made = try await opening.commit(insertion) else { throw ConditionFailed() }
            return made
        }
        if let made = try await together.commit(insertion) { return made }
        return try await alone.commit(insertion)
    }

    /// A statement, and the places in the batch of those that it writes.
    private struct Part {
        var places: [Int]
        let statement: SQL
    }

    /// In one order everywhere by what several may want.
    private static func parts(_ batch: [Insertion]) -> [Part] {
        let places = batch.indices.sorted {
            (batch[$0].wanted?.lockNumber ?? 0, $0) < (batch[$1].wanted?.lockNumber ?? 0, $1)
        }
        var groups: [[Int]] = []
        for place in places {
            let like = groups.firstIndex { batch[$0[0]].isLike(batch[place]) }
            if let like { groups[like].append(place) } else { groups.append([place]) }
        }
        return groups.map { places in Part(places: places, statement: statement(places.map { batch[$0] })) }
    }

    private static func statement(_ insertions: [Insertion]) -> SQL {
        let tokens = insertions.compactMap(\.token)
        guard tokens.count > 1 else { return insertions[0].statement }
        return TokenInsertion.together(tokens)
    }

    /// Each node once.
    static func order(_ lineages: [[NodeID]]) -> [NodeID] {
        if lineages.count == 1 { return lineages[0] }
        var depths: [NodeID: Int] = [:]
        for lineage in lineages {
            for (depth, node) in lineage.enumerated() { depths[node] = max(depths[node] ?? 0, depth) }
        }
        return depths.sorted { ($0.value, $0.key.lockNumber) < ($1.value, $1.key.lockNumber) }.map(\.key)
    }
}
