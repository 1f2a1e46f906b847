import Base
import Database
import Foundation

/// Who revokes, and why: kept with the revocation and in the audit trail.
public struct AuditActor: Sendable {
    /// `admin:root`, `instance:ID`, `account:UUID`, `service:ID`, `server`.
    public let name: String
    /// Address or terminal it came from.
    public let origin: String?
    public let reason: String?

    public init(name: String, origin: String? = nil, reason: String? = nil) {
        (self.name, self.origin, self.reason) = (name, origin, reason)
    }

    public static let server = AuditActor(name: "server")

    public func because(_ reason: String) -> AuditActor { AuditActor(name: name, origin: origin, reason: reason) }
}

/// What can be revoked.
public enum Node: Hashable, Sendable {
    case virtual(Ancestor)
    /// A token by the node of its family.
    case token(NodeID)

    public var label: String {
        switch self {
        case .virtual(let ancestor): ancestor.label
        case .token(let id): "token:\(id)"
        }
    }
}

/// What a revocation did.
public struct RevocationOutcome: Sendable {
    public let node: Node
    /// Nothing has been issued below it since it was revoked before.
    public let already: Bool
    public let revokedAt: Date?
    /// Services that were told.
    public let services: [String]
}

/// Revoking a node: one row, whatever hangs below it (token-tree.md, rules 2 and 3).
public final class Revocation: Sendable {
    /// Writes one outgoing event per service into the transaction that revokes. Given by the room that knows services.
    public typealias Announcement =
        @Sendable (_ node: NodeID, _ services: [String], any SQLExecutor) async throws -> Void

    /// Does what else must happen in the transaction that revokes a virtual node: telling web clients of a logout.
    public typealias Ending = @Sendable (_ ancestor: Ancestor, any SQLExecutor) async throws -> Void

    /// Tokens that a virtual node stands for and that were issued before there were nodes of its kind: each is revoked
    /// with it, by itself.
    public typealias Predating = @Sendable (_ ancestor: Ancestor, any SQLExecutor) async throws -> [NodeID]

    let store: TokenStore
    let announce: Announcement
    let ended: Ending
    let predating: Predating
    private let together: RevocationGathering

    public init(
        store: TokenStore, ended: @escaping Ending = { _, _ in }, predating: @escaping Predating = { _, _ in [] },
        announce: @escaping Announcement
    ) {
        (self.store, self.ended, self.predating, self.announce) = (store, ended, predating, announce)
        together = RevocationGathering(store: store, announce: announce)
    }

    /// In a transaction of its own, or one with other tokens that are revoked now. After it returns, no live token
    /// exists below the node, on any replica.
    @discardableResult
    public func revoke(_ node: Node, by actor: AuditActor) async throws -> RevocationOutcome {
        if case .token(let id) = node, let outcome = try await together.commit(.init(id: id, actor: actor)) {
            return outcome
        }
        return try await store.database.atomically { try await revoke(node, by: actor, in: $0) }
    }

    @discardableResult
    public func revoke(
        _ node: Node, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> RevocationOutcome {
        settle(behind: transaction)
        return switch node {
        case .virtual(let ancestor): try await revoke(ancestor, by: actor, in: transaction)
        case .token(let id): try await revoke(id, label: node.label, node: node, by: actor, in: transaction)
        }
    }

    /// For what is deleted in this transaction, before its node is revoked: of who issues the first token below it at
    /// this moment one waits for the other, or the revocation finds nothing to revoke and the token lives. Nobody else
    /// can revoke the node meanwhile, after which another would be opened.
    public func hold(_ ancestor: Ancestor, in transaction: any SQLExecutor) async throws {
        let ancestors = AncestorStore(clock: store.clock, randomness: store.randomness)
        for _ in 0..<3 {
            _ = try await ancestors.generations(of: [ancestor], in: transaction)
            if try await ancestors.open(ancestor, in: transaction) != nil { return }
        }
        throw DatabaseError.serialization
    }

    private func revoke(
        _ ancestor: Ancestor, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> RevocationOutcome {
        let ancestors = AncestorStore(clock: store.clock, randomness: store.randomness)
        var open = try await ancestors.open(ancestor, in: transaction)
        if open == nil, ancestor.kind == .password {
            // A login that has just read the old password may be opening it now: of the two insertions one waits for
            // the other.
            _ = try await ancestors.generations(of: [ancestor], in: transaction)
            open = try await ancestors.open(ancestor, in: transaction)
        }
        if open == nil {
            let earlier: Date? = try await transaction.query(
                """
                select revoked_at from revocation where label = \(ancestor.label) order by revoked_at desc limit 1
                """
            ).first.map { try $0("revoked_at") }
            // What was issued before there were such nodes may be there still, whether this one was opened or not.
            let left = earlier == nil ? [] : try await predating(ancestor, transaction)
            guard [.signer, .use].contains(ancestor.kind), earlier == nil || !left.isEmpty else {
                return RevocationOutcome(
                    node: .virtual(ancestor), already: earlier != nil, revokedAt: earlier, services: [])
            }
            // A process that has not been told of the end of the key may be opening it now: see SigningAncestor.
            _ = try await ancestors.generations(of: [ancestor], in: transaction)
            open = try await ancestors.open(ancestor, in: transaction)
        }
        guard let generation = open else { throw DatabaseError.serialization }
        let revoked = try await revoke(
            generation, label: ancestor.label, node: .virtual(ancestor), by: actor, in: transaction)
        try await ancestors.close(ancestor, in: transaction)
        try await ended(ancestor, transaction)
        var services = Set(revoked.services)
        for id in try await predating(ancestor, transaction) {
            services.formUnion(try await revoke(.token(id), by: actor, in: transaction).services)
        }
        return RevocationOutcome(
            node: revoked.node, already: revoked.already, revokedAt: revoked.revokedAt, services: services.sorted())
    }

    /// The lock waits for those who are minting below and keeps out those who would; then the row with its line of the
    /// audit trail, then the services it reaches. One round trip.
    private func revoke(
        _ id: NodeID, label: String, node: Node, by actor: AuditActor, isAudited: Bool = true,
        in transaction: any SQLExecutor
    ) async throws -> RevocationOutcome {
        let now = store.clock.now(), entry = AuditEntry(actor: actor, action: "revoke", node: node.label)
        let noted: SQL = isAudited ? ", noted as (\(AuditTrail.line(entry, at: now, each: "made")))" : ""
        let results = try await transaction.batch([
            "select pg_advisory_xact_lock(\(id.lockNumber))",
            // One row comes back: the new one, which the second part does not see, or the one from before.
            """
            with made as (
                insert into revocation (node, label, revoked_at, actor, reason)
                    values (\(id), \(label), \(now), \(actor.name), \(actor.reason))
                on conflict do nothing returning revoked_at
            )\(noted)
            select made.revoked_at, false as already from made
            union all
            select r.revoked_at, true as already from revocation r where r.node = \(id)
            """,
            "select service from reach where node = \(id) order by service",
        ])
        guard let row = results[1].first, try !row("already", as: Bool.self) else {
            return RevocationOutcome(
                node: node, already: true, revokedAt: try results[1].first.map { try $0("revoked_at") }, services: [])
        }
        TreeMetrics.shared.revoked()
        let services: [String] = try results[2].map { try $0("service") }
        if !services.isEmpty { try await announce(id, services, transaction) }
        return RevocationOutcome(node: node, already: false, revokedAt: now, services: services)
    }

    /// Behind the commit it is waited until no process answers from memory what held before; also where there was
    /// nothing to revoke any more, since who revoked it may not have waited.
    func settle(behind transaction: any SQLExecutor) {
        let leases = store.leases
        (transaction as? Transaction)?.whenCommitted("leases") { try await leases.settle() }
    }

    /// Revokes every live family of a kind below an anchor: a new login ends the earlier one (protocols/eduid.md, 2).
    public func revokeFamilies(
        kind: TokenKind, anchor: NodeID, matching condition: SQL = "true", by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws {
        let rows = try await transaction.query(
            """
            select f.id from family f
            where f.anchor = \(anchor) and f.kind = \(kind) and \(condition) and not exists (select
                from revocation r where r.node = any (f.lineage))
            order by f.id
            """)
        for row in rows {
            let id: NodeID = try row("id")
            try await revoke(.token(id), by: actor, in: transaction)
            // Nobody can refresh it again; kept, it would be looked at by each that comes after.
            _ = try await transaction.execute("delete from family where id = \(id)")
        }
    }

    /// A foreign node, known by its pseudonym only: what a service does with an event.
    public func revokeForeign(
        _ pseudonym: NodeID, label: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        settle(behind: transaction)
        _ = try await revoke(
            pseudonym, label: label, node: .token(pseudonym), by: actor, isAudited: false, in: transaction)
    }

    /// Moves a subtree under another generation (token-tree.md, rule 8). All of it holds `anchor`.
    ///
    /// Gives the services that hold something below it, read under the anchor's lock, so none that is being reached now
    /// is left out.
    @discardableResult
    public func move(
        anchor: NodeID, from old: NodeID, to new: NodeID, in transaction: any SQLExecutor
    ) async throws -> [String] {
        settle(behind: transaction)
        let results = try await transaction.batch([
            "select pg_advisory_xact_lock(\(anchor.lockNumber))",
            "update family set lineage = array_replace(lineage, \(old), \(new)) where anchor = \(anchor)",
            "update token set lineage = array_replace(lineage, \(old), \(new)) where anchor = \(anchor)",
            "update assertion_reach set lineage = array_replace(lineage, \(old), \(new)) where anchor = \(anchor)",
            """
            insert into reach (node, service) select \(new)::uuid, service from reach where node = \(anchor)
                on conflict do nothing
            """,
            "update moved set new = \(new) where anchor = \(anchor) and new = \(old)",
            """
            insert into moved (anchor, old, new, at) values (\(anchor), \(old), \(new), \(store.clock.now()))
            on conflict (anchor, old) do update set new = excluded.new, at = excluded.at
            """,
            "select service from reach where node = \(anchor) order by service",
        ])
        return try results.last?.map { try $0("service") } ?? []
    }

    /// What a lineage below `anchor` reads now: one that was written down before a move follows it. With `isCurrent` of
    /// it as the condition of what is issued below, no move comes between.
    public func current(_ lineage: [NodeID], anchor: NodeID) async throws -> [NodeID] {
        let moves = try await store.database.query(
            "select old, new from moved where anchor = \(anchor) and old = any (\(lineage))")
        let followed = Dictionary(
            try moves.map { (try $0("old", as: NodeID.self), try $0("new", as: NodeID.self)) },
            uniquingKeysWith: { first, _ in first })
        return lineage.map { followed[$0] ?? $0 }
    }

    /// Whether something of such a lineage has ended, at this moment, what has moved being followed.
    public func isBroken(_ lineage: [NodeID], anchor: NodeID) async throws -> Bool {
        try await !store.database.query(
            """
            select r.node from revocation r where r.node = any (array(
                select coalesce(m.new, l.node) from unnest(\(lineage)::uuid[]) as l (node)
                    left join moved m on m.anchor = \(anchor) and m.old = l.node
            )) limit 1
            """
        ).isEmpty
    }

    /// No part of it below `anchor` has moved. Who moves holds the anchor, as who issues does.
    public static func isCurrent(_ lineage: [NodeID], anchor: NodeID) -> SQL {
        "not exists (select from moved m where m.anchor = \(anchor) and m.old = any (\(lineage)))"
    }
}
