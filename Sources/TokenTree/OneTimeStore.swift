import Base
import Database
import Foundation

/// Identifiers that work once (token-tree.md, rule 5). Recorded only after the signature over them was verified.
public struct OneTimeStore: Sendable {
    /// The longest life of what carries such an identifier, skew included. Bounds the store.
    public static let longest: TimeInterval = 24 * 3_600

    private let database: Database
    private let partitions: PartitionKeeper

    public init(database: Database, partitions: PartitionKeeper) { (self.database, self.partitions) = (database, partitions) }

    /// True for the first caller, false for every other until `expires`. `namespace` names issuer and purpose.
    public func claim(_ jti: String, namespace: String, expires: Date, in executor: (any SQLExecutor)? = nil) async throws -> Bool {
        let id = NodeID(oneTime: jti, namespace: namespace, expires: expires)
        return try await partitions.withPartition(retrying: executor == nil) {
            try await (executor ?? database).execute("insert into one_time (id) values (\(id)) on conflict do nothing")
        } == 1
    }
}
