import Base
import Database
import Foundation

/// Issues and finds tokens. All issuing of the server goes through `issue`.
public final class TokenStore: Sendable {
    /// The kid of the key that signs what is issued; `nil` where nothing does. `certain` is past all memory, by
    /// `executor`.
    public typealias Signer = @Sendable (_ certain: Bool, _ executor: any SQLExecutor) async throws -> String?

    public let database: Database
    /// Asked for rows that memory lacks, where there is one.
    public let replica: ReadReplica?
    public let leases: Leases
    let clock: WallClock
    let randomness: Randomness
    let refreshKey: SecretBytes
    let partitions: PartitionKeeper
    private let signing: SigningAncestor
    private let known = GenerationMemory()
    let insertions: IssueGathering
    let sent: SentAnswers
    let setbacks: SetbackAlarm
    let presented: SharedReading<RefreshToken, PresentedRefreshToken>

    /// `refreshKey` is the 256-bit key of refresh tokens; it is not in the database. All that is issued hangs below the
    /// key that `signer` names.
    public init(
        database: Database, refreshKey: SecretBytes, partitions: PartitionKeeper, clock: WallClock,
        randomness: Randomness, replica: ReadReplica? = nil,
        signer: @escaping Signer = { _, _ in nil }
    ) {
        self.replica = replica
        (self.database, self.refreshKey, self.partitions) = (database, refreshKey, partitions)
        (self.clock, self.randomness, signing) = (clock, randomness, SigningAncestor(signer))
        insertions = IssueGathering(database: database, partitions: partitions)
        sent = SentAnswers(database: database)
        presented = SharedReading("refresh tokens") { try await RefreshFamily.find($0, in: database) }
        leases = Leases(database: database)
        setbacks = SetbackAlarm(database: database, clock: clock, logger: partitions.logger)
    }

    var ancestors: AncestorStore { AncestorStore(clock: clock, randomness: randomness) }

    /// Opens the generations that a draft adds to its lineage. Its own statement: the draft's insert must see them
    /// committed or its own.
    public func generations(of ancestors: [Ancestor], in executor: (any SQLExecutor)? = nil) async throws -> [NodeID] {
        try await self.ancestors.generations(of: ancestors, in: executor ?? database)
    }

    /// `password:ACCOUNT` is open from now on: for `PasswordLogin`, which stands beside this floor.
    @Sendable public func openPassword(_ account: UUID) async throws {
        _ = try await generations(of: [Ancestor(.password, account.uuidString.lowercased())])
    }

    /// Until all answers to rotations that left are noted in their rows, a second at most: for who is about to close
    /// the database.
    public func settle() async { await sent.settle(within: .seconds(1)) }

    /// Whether this very node is revoked.
    public func isRevoked(_ node: NodeID, in executor: (any SQLExecutor)? = nil) async throws -> Bool {
        try await !(executor ?? database).query("select node from revocation where node = \(node)").isEmpty
    }

    /// Holds nodes shared until the transaction ends: whoever revokes one of them waits. Root first.
    public func hold(_ nodes: [NodeID], in transaction: any SQLExecutor) async throws {
        _ = try await transaction.query(TokenStore.lockShared(nodes))
    }

    /// Issues below the open generations of virtual ancestors, in one round trip as a rule: they are remembered, and
    /// the statement that inserts sees whether they are open still. Not inside a transaction.
    public func issue(
        below ancestors: [Ancestor], _ draft: ([NodeID]) -> TokenDraft
    ) async throws -> IssuedToken {
        if let remembered = known.generations(of: ancestors) {
            do {
                let issued = try await issue(draft(remembered))
                if !remembered.allSatisfy(issued.row.lineage.contains) { known.forget(ancestors) }
                return issued
            } catch is AncestorRevoked {
                known.forget(ancestors)
            }
        }
        let fresh = try await generations(of: ancestors)
        known.remember(ancestors, fresh)
        return try await issue(draft(fresh))
    }

    /// Whether `issue(below:)` would ask nobody for their generations.
    public func remembers(_ ancestors: [Ancestor]) -> Bool { known.generations(of: ancestors) != nil }

    /// Remembers what `opening` gave, for `issue(below:)`; nothing where another transaction was opening one.
    public func remember(_ ancestors: [Ancestor], _ rows: [Row]) throws {
        let ids = try AncestorStore.opened(rows)
        if ids.count == ancestors.count { known.remember(ancestors, ids) }
    }

    /// One round trip: locks on the lineage, root first, then an insert that re-checks it. Throws `AncestorRevoked`
    /// when it is broken, `ConditionFailed` when the draft's condition does not hold, `AlreadyUsed` when what it uses
    /// up was used before. A draft that redeems a token throws `ConditionFailed` for whatever speaks against it: who
    /// issues it so has a way of its own, which finds out what.
    ///
    /// Inside a transaction the locks are held until its end; alone, it is written with whatever else is issued at that
    /// time, and the locks are held until the commit of these. A parent that moved
    /// meanwhile (an upgrade) hands down the lineage that it has now. Last among the ancestors comes the signing key,
    /// unless it stands in what is inherited.
    public func issue(_ draft: TokenDraft, in executor: (any SQLExecutor)? = nil) async throws -> IssuedToken {
        var draft = draft
        var signer = try await signing.current(ancestors, in: executor ?? database)
        for _ in 0..<5 {
            if let issued = try await attempt(draft, under: signer, in: executor) { return issued }
            if draft.redeeming != nil { throw ConditionFailed() }
            if let using = draft.using, try await isUsed(using, in: executor) { throw AlreadyUsed() }
            if let condition = draft.condition, try await !holds(condition, in: executor) { throw ConditionFailed() }
            if let current = try await lineage(of: draft.body.parent, in: executor),
                !draft.inherited.starts(with: current)
            {
                draft = draft.with(inherited: current + draft.inherited.dropFirst(current.count))
                continue
            }
            let closed = try await closed(draft.inherited + draft.added + draft.own, in: executor)
            if closed.isEmpty, signer != nil {
                signer = try await signing.renewed(ancestors, in: executor ?? database)
            } else if let reopened = try await reopened(draft, closed, in: executor) {
                draft = reopened
            } else {
                break
            }
        }
        throw AncestorRevoked()
    }

    /// The draft under fresh generations of those that it adds and that were revoked meanwhile: what is issued after a
    /// revocation lives. `nil` when what it inherits is revoked.
    private func reopened(
        _ draft: TokenDraft, _ closed: [NodeID: String], in executor: (any SQLExecutor)?
    ) async throws -> TokenDraft? {
        guard !closed.isEmpty, !(draft.inherited + draft.own).contains(where: { closed[$0] != nil }) else {
            return nil
        }
        var fresh: [NodeID: NodeID] = [:]
        for (node, label) in closed {
            guard let ancestor = Ancestor(label: label),
                let generation = try await generations(of: [ancestor], in: executor).first
            else { return nil }
            fresh[node] = generation
        }
        return draft.replacing(fresh)
    }

    private func isUsed(_ id: NodeID, in executor: (any SQLExecutor)?) async throws -> Bool {
        try await !(executor ?? database).query("select from one_time where id = \(id)").isEmpty
    }

    /// Those that are revoked, with their names.
    private func closed(_ nodes: [NodeID], in executor: (any SQLExecutor)?) async throws -> [NodeID: String] {
        let revocations = try await (executor ?? database).query(
            "select node, label from revocation where node = any (\(nodes))")
        return Dictionary(
            try revocations.map { (try $0("node"), try $0("label")) }, uniquingKeysWith: { first, _ in first })
    }

    private func attempt(
        _ draft: TokenDraft, under signer: SigningAncestor.Generation?, in executor: (any SQLExecutor)?
    ) async throws -> IssuedToken? {
        let inherited = draft.inherited
        let signer = signer.flatMap { inherited.contains($0.id) ? nil : $0 }
        let now = clock.now()
        let expires = now.addingTimeInterval(draft.lifetime)
        let id = NodeID(
            issuedAt: now, keptUntil: now.addingTimeInterval(max(draft.lifetime, draft.memory)), randomness: randomness)
        let insertion = TokenInsertion(
            draft: draft, id: id, signer: signer, isRemembered: executor == nil, now: now, expires: expires)
        let isMade =
            if let executor {
                try await partitions.withPartition(retrying: false) {
                    try await executor.batch([
                        TokenStore.lockShared(insertion.held), insertion.statement,
                    ]).last?.isEmpty == false
                }
            } else {
                try await !insertions.commit(.init(insertion)).isEmpty
            }
        guard isMade else { return nil }
        let row = TokenRow(
            id: id, family: id, lineage: insertion.above + [id], issuedAt: now, expiresAt: expires, body: draft.body
        )
        TreeMetrics.shared.issued(draft.body.kind)
        let refreshToken = draft.refresh.map { _ in RefreshToken(family: id, sequence: 0).text(key: refreshKey) }
        return IssuedToken(row: row, refreshToken: refreshToken, at: now)
    }

    private func lineage(of parent: NodeID?, in executor: (any SQLExecutor)?) async throws -> [NodeID]? {
        guard let parent else { return nil }
        return try await (executor ?? database).query("select lineage from family where id = \(parent)").first.map {
            try $0("lineage")
        }
    }

    /// How PostgreSQL would run the look-up, a line each.
    public func plan(of id: NodeID) async throws -> [String] {
        guard let lookUp = TokenStore.lookUp(id) else { return [] }
        return try await database.query("explain (costs off) \(lookUp)").map { try $0("QUERY PLAN") }
    }

    static func lookUp(_ id: NodeID) -> SQL? {
        PartitionPlan.partition(of: id).map { "select \(TokenRow.columns) from \(identifier: $0) t where t.id = \(id)" }
    }

    /// Uses a one-time token: of all callers at once, one gets the row. The others get `nil` and look with `find` why.
    public func use(_ id: NodeID, secret: [UInt8], in executor: any SQLExecutor) async throws -> TokenRow? {
        let use = TokenStore.using(OneTimeToken(id: id, secret: secret), at: clock.now())
        return try await executor.query("\(use) returning \(TokenRow.columns)").first.map { try TokenRow($0) }
    }

    /// `update` of the row `t` of a token that works once, where it may be used; whoever sends it adds what it returns.
    static func using(_ token: OneTimeToken, child: NodeID? = nil, at now: Date) -> SQL {
        """
        update \(TokenStore.table(of: token.id)) t set used_at = \(now), child = \(child)
        where t.id = \(token.id) and t.secret = \(token.secret) and t.used_at is null and t.expires_at > \(now)
          and not exists (select from revocation r where r.node = any (t.lineage))
        """
    }

    /// The one partition that holds its row, so that no other is opened or locked.
    private static func table(of id: NodeID) -> SQL {
        PartitionPlan.partition(of: id).map { "\(identifier: $0)" } ?? "token"
    }

    /// Remembers what was issued from a one-time token, so that its reuse can end it.
    public func record(child: NodeID, of id: NodeID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("update \(TokenStore.table(of: id)) set child = \(child) where id = \(id)")
    }

    /// Shared advisory locks on a lineage, root first: minting's side of rule 3.
    ///
    /// `briefly`: who waits for one, or for a row, for a tenth of a second gives up (55P03). Until the end of the
    /// transaction.
    static func lockShared(_ lineage: [NodeID], briefly: Bool = false) -> SQL {
        guard !briefly else {
            return """
                with patience as materialized (select set_config('lock_timeout', '100ms', true))
                select pg_advisory_xact_lock_shared(l.number) from patience
                    left join unnest(\(lineage.map(\.lockNumber))) with ordinality as l (number, n) on true
                order by l.n
                """
        }
        return """
            select pg_advisory_xact_lock_shared(l.number) from unnest(\(lineage.map(\.lockNumber))) with ordinality as
                l (number, n) order by l.n
            """
    }
}

extension TokenRow {
    /// A row just made.
    init(id: NodeID, family: NodeID, lineage: [NodeID], issuedAt: Date, expiresAt: Date, body: TokenBody) {
        (self.id, self.family, self.lineage, self.issuedAt, self.expiresAt, self.body) = (
            id, family, lineage, issuedAt, expiresAt, body
        )
        (usedAt, child, isRevoked) = (nil, nil, false)
    }
}
