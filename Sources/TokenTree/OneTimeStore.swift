import Base
import Database
import Foundation

/// Identifiers that work once (token-tree.md, rule 5). Recorded only after the signature over them was verified.
public struct OneTimeStore: Sendable {
    /// The longest life of what carries such an identifier, skew included. Bounds the store.
    public static let longest: TimeInterval = 24 * 3_600

    private let partitions: PartitionKeeper
    private let gathering: ClaimGathering

    public init(database: Database, partitions: PartitionKeeper) {
        self.partitions = partitions
        gathering = ClaimGathering { ids in
            try await partitions.withPartition(retrying: true) {
                // In order, so that two statements with the same ids follow one another. A transaction that holds one
                // of them is waited for a second (then 55P03, and the others go without it); the setting is made before
                // the first row, and ends with the statement.
                try await database.query(
                    """
                    with patience as materialized (select set_config('lock_timeout', '1s', true))
                    insert into one_time (id) select distinct w.id from patience
                        cross join unnest(\(ids)) as w (id) order by w.id
                    on conflict do nothing returning id
                    """
                ).map { try $0("id", as: NodeID.self) }
            }
        }
    }

    /// True for the first caller, false for every other until `expires`. `namespace` names issuer and purpose. Outside
    /// of a transaction what is claimed at the same time is written together, and what a transaction has claimed and
    /// neither kept nor undone within a second is an error (55P03: ask again), no refusal.
    public func claim(
        _ jti: String, namespace: String, expires: Date, in executor: (any SQLExecutor)? = nil
    ) async throws -> Bool {
        guard let executor else {
            return try await gathering.claim(NodeID(oneTime: jti, namespace: namespace, expires: expires))
        }
        let claim = claiming(jti, namespace: namespace, expires: expires)
        return try await batch([claim], in: executor)[0].isEmpty == false
    }

    /// The statement that claims within a transaction, for `batch`: it gives a row to the first caller.
    public func claiming(_ jti: String, namespace: String, expires: Date) -> SQL {
        let id = NodeID(oneTime: jti, namespace: namespace, expires: expires)
        return "insert into one_time (id) values (\(id)) on conflict do nothing returning id"
    }

    /// Statements of a transaction in one round trip, of which one claims.
    public func batch(_ statements: [SQL], in transaction: any SQLExecutor) async throws -> [[Row]] {
        try await partitions.withPartition(retrying: false) { try await transaction.batch(statements) }
    }
}
