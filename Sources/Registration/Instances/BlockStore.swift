import Base
import Database
import Foundation
import TokenTree

/// Devices and keys that may not register again until an admin lifts it (decisions.md, Federation 9).
public struct BlockStore: Sendable {
    public enum Kind: String, Sendable, CaseIterable { case device, key }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Whether device or key is kept out: the last statement then gives a row. Takes shared locks first, so that a
    /// block being written now is waited for.
    static func isBlocked(device: String, key: String) -> [SQL] {
        let locks = nodes(device: device, key: key).map(\.lockNumber)
        return [
            """
            select pg_advisory_xact_lock_shared(l.number) from unnest(\(locks)) with ordinality as l (number, n)
                order by l.n
            """,
            blocks(device: device, key: key),
        ]
    }

    /// Holds while neither is kept out, for who holds their `nodes` shared.
    static func isAdmitted(device: String, key: String) -> SQL {
        "not exists (\(blocks(device: device, key: key)))"
    }

    /// What who blocks one of them holds; in this order everywhere.
    static func nodes(device: String, key: String) -> [NodeID] { [node(.device, device), node(.key, key)] }

    private static func blocks(device: String, key: String) -> SQL {
        """
        select 1 as found from block where (kind = 'device' and name = \(device)) or (kind = 'key'
            and name = \(key)) limit 1
        """
    }

    /// False when all of it was blocked before.
    public func block(
        _ instance: AppInstance, only: Kind?, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> Bool {
        var added = 0
        for kind in Kind.allCases where only == nil || only == kind {
            let name = kind == .device ? instance.deviceID : instance.thumbprint
            _ = try await transaction.execute("select pg_advisory_xact_lock(\(BlockStore.node(kind, name).lockNumber))")
            added += try await transaction.execute(
                """
                insert into block (kind, name, instance, blocked_at, actor, reason)
                values (\(kind.rawValue), \(name), \(instance.id), \(clock.now()), \(actor.name), \(actor.reason))
                    on conflict do nothing
                """)
        }
        return added > 0
    }

    /// Lifts what keeps this instance's device and key out, whoever it was written for. False when nothing did.
    public func unblock(_ instance: AppInstance, in transaction: any SQLExecutor) async throws -> Bool {
        try await transaction.execute(
            """
            delete from block where (kind = 'device' and name = \(instance.deviceID)) or (kind = 'key'
                and name = \(instance.thumbprint))
            """) > 0
    }

    /// For who keeps a phone out of something else: whoever registers its device or key waits until the transaction
    /// ends, or has registered before.
    public static func hold(device: String, key: String, in transaction: any SQLExecutor) async throws {
        for node in nodes(device: device, key: key) {
            _ = try await transaction.execute("select pg_advisory_xact_lock(\(node.lockNumber))")
        }
    }

    private static func node(_ kind: Kind, _ name: String) -> NodeID {
        NodeID(digestOf: "block \(kind.rawValue) \(name)")
    }
}
