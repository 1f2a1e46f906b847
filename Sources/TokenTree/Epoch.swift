import Base
import Database
import Foundation

/// The number of the epoch, in `setting`; its generation is the first node of every lineage (token-tree.md, rule 9).
public enum Epoch {
    /// Notes that these services hold something, so that they are told of its end; sorted. Who issues is kept out until
    /// the transaction ends.
    public static func reach(_ services: [String], in transaction: any SQLExecutor) async throws {
        let epoch = Ancestor.epoch
        let open: NodeID? = try await transaction.query(
            "select a.id from ancestor a where a.kind = \(epoch.kind) and a.name = \(epoch.name)"
        ).first.map { try $0("id") }
        guard let open else { return }
        _ = try await transaction.batch([
            "select pg_advisory_xact_lock(\(open.lockNumber))",
            """
            insert into reach (node, service) select \(open)::uuid, w.service from unnest(\(services)) as w (service)
            on conflict do nothing
            """,
        ])
    }

    /// The number that holds.
    public static func number(in executor: any SQLExecutor) async throws -> Int {
        try await executor.query("select (s.value)::integer as number from setting s where s.name = 'epoch'").first
            .map { try $0("number") } ?? 1
    }

    /// Ends everything issued before, and gives the new number. That settles a setback: what was revoked in the time
    /// that was lost does not live on.
    public static func bump(
        by actor: AuditActor, revocation: Revocation, at now: Date, in transaction: any SQLExecutor
    ) async throws -> Int {
        try await revocation.revoke(.virtual(.epoch), by: actor, in: transaction)
        try await Setback.settle(in: transaction)
        let rows = try await transaction.query(
            """
            insert into setting as s (name, value, changed_at) values ('epoch', '2', \(now))
            on conflict (name) do update set value = to_jsonb((s.value)::integer + 1), changed_at = \(now)
            returning (s.value)::integer as number
            """)
        return try rows.first.map { try $0("number") } ?? 1
    }
}
