import Base
import Database
import Foundation

/// What is to be issued. The store adds identifiers, lineage and the re-check.
public struct TokenDraft: Sendable {
    /// How a token is renewed: a rotating refresh token comes with it.
    public struct Refresh: Sendable {
        /// Seconds without rotation after which the family ends; `nil` for none.
        public let idle: TimeInterval?

        public init(idle: TimeInterval? = nil) { self.idle = idle }
    }

    public let body: TokenBody
    /// Lineage of the parent, root first; empty for roots.
    public let inherited: [NodeID]
    /// Virtual ancestors that come in with this token, already opened, in order.
    public let added: [NodeID]
    /// What this token hangs below besides, and what it is refreshed into does not: see `GrantedResource`. Inherited,
    /// not opened anew.
    public let own: [NodeID]
    public let lifetime: TimeInterval
    /// How long its row is kept after issuing, when longer than its life.
    public let memory: TimeInterval
    public let refresh: Refresh?
    /// SHA-256 of an opaque token's secret.
    public let secret: [UInt8]?
    /// Ancestors that nobody has opened, behind `added`: the first generation of each is opened with the token, if that
    /// is made. Where another transaction opens one at that moment, or one of those that are written together has to
    /// wait, it is not made (`ConditionFailed`).
    public let opening: [FreshAncestor]
    /// What else is held shared, so that who holds it exclusively is waited for, and seen by `condition`.
    public let holding: [NodeID]
    /// Services that will hold what is issued below: recorded for all its ancestors, so that they are told of a
    /// revocation.
    public let reaches: String?
    /// That service is called for each (RFC 7009), so it is remembered for which: see `AssertionReach`.
    public let isCalledFor: Bool
    /// What else must hold when it is inserted: that a fact, on which who asked was let in, still stands.
    public let condition: SQL?
    /// What is written with it, if it is made: an insertion or change that reads `id` and `lineage` from `made`.
    public let beside: SQL?
    /// As `beside`, of another table: what is noted of it.
    public let noted: SQL?
    /// Whose row `beside` changes, where others may be changing it: two who want several follow one another.
    public let changes: NodeID?
    /// A one-time identifier (`OneTimeStore`) that is used up if it is made, and without which it is not.
    public let using: NodeID?
    /// A token that works once, which is used up if it is made and remembers it as its child (`record`), and without
    /// which it is not made (`ConditionFailed`). In place of `using`.
    public let redeeming: OneTimeToken?

    public init(
        _ body: TokenBody, inherited: [NodeID], added: [NodeID] = [], own: [NodeID] = [], lifetime: TimeInterval,
        memory: TimeInterval = 0,
        refresh: Refresh? = nil, secret: [UInt8]? = nil, reaches: String? = nil, isCalledFor: Bool = false,
        condition: SQL? = nil, beside: SQL? = nil, noted: SQL? = nil, changes: NodeID? = nil, using: NodeID? = nil,
        redeeming: OneTimeToken? = nil, opening: [FreshAncestor] = [], holding: [NodeID] = []
    ) {
        (self.body, self.inherited, self.added, self.own) = (body, inherited, added, own)
        (self.opening, self.holding, self.isCalledFor) = (opening, holding, isCalledFor)
        (self.lifetime, self.memory, self.refresh) = (lifetime, memory, refresh)
        // Who checks by itself what a token hangs from is told of its end.
        (self.secret, self.reaches, self.condition) = (secret, reaches ?? body.claims.lineage, condition)
        (self.beside, self.noted, self.changes) = (beside, noted, changes)
        (self.using, self.redeeming) = (using, redeeming)
    }
}

extension TokenDraft {
    func with(inherited: [NodeID]) -> TokenDraft { copy(body, inherited: inherited, added: added) }

    /// With other generations in place of some; the anchor may be one of them.
    func replacing(_ fresh: [NodeID: NodeID]) -> TokenDraft {
        copy(
            body.with(anchor: fresh[body.anchor] ?? body.anchor), inherited: inherited,
            added: added.map { fresh[$0] ?? $0 })
    }

    private func copy(_ body: TokenBody, inherited: [NodeID], added: [NodeID]) -> TokenDraft {
        TokenDraft(
            body, inherited: inherited, added: added, own: own, lifetime: lifetime, memory: memory, refresh: refresh,
            secret: secret, reaches: reaches, isCalledFor: isCalledFor, condition: condition, beside: beside,
            noted: noted, changes: changes, using: using, redeeming: redeeming, opening: opening, holding: holding)
    }
}

/// A token that works once, as it was shown.
public struct OneTimeToken: Sendable {
    public let id: NodeID
    /// SHA-256 of its secret.
    public let secret: [UInt8]

    public init(id: NodeID, secret: [UInt8]) { (self.id, self.secret) = (id, secret) }
}

/// A virtual ancestor and the generation that is to be its first.
public struct FreshAncestor: Sendable {
    public let ancestor: Ancestor
    public let generation: NodeID

    public init(_ ancestor: Ancestor, randomness: Randomness) {
        (self.ancestor, generation) = (ancestor, NodeID(endless: randomness))
    }

    /// Holds while nobody has opened it.
    public var isUnopened: SQL {
        "not exists (select from ancestor a where a.kind = \(ancestor.kind) and a.name = \(ancestor.name))"
    }
}

/// A token that is durable: acknowledged after commit only.
public struct IssuedToken: Sendable {
    public let row: TokenRow
    public let refreshToken: String?
    /// Whole seconds that it is still good for; fewer than its life where it is handed out again.
    public let expiresIn: Int

    init(row: TokenRow, refreshToken: String?, at now: Date) {
        (self.row, self.refreshToken) = (row, refreshToken)
        expiresIn = max(1, Int(row.expiresAt.timeIntervalSince(now)))
    }
}

/// An ancestor was revoked while the token was being made, or before.
public struct AncestorRevoked: Error, Sendable {
    public init() {}
}

/// The condition of a draft does not hold, or what it redeems cannot be: what was known has changed since, and is to be
/// read again.
public struct ConditionFailed: Error, Sendable {
    public init() {}
}

/// The one-time identifier of a draft had been used.
public struct AlreadyUsed: Error, Sendable {
    public init() {}
}

extension TokenStore {
    /// Throws `ConditionFailed` unless it holds now.
    public func require(_ condition: SQL) async throws {
        guard try await holds(condition, in: database) else { throw ConditionFailed() }
    }

    func holds(_ condition: SQL, in executor: (any SQLExecutor)?) async throws -> Bool {
        try await !(executor ?? database).query("select where \(condition)").isEmpty
    }
}

extension TokenStore {
    /// As `generations`, as a statement of a transaction that sends others with it; its rows are for `opened`.
    public func opening(_ ancestors: [Ancestor]) -> SQL { self.ancestors.opening(ancestors) }

    /// The generations by the rows of `opening`, asked for again where another transaction was opening one.
    public func opened(
        _ ancestors: [Ancestor], _ rows: [Row], in transaction: any SQLExecutor
    ) async throws -> [NodeID] {
        let ids = try AncestorStore.opened(rows)
        return ids.count == ancestors.count ? ids : try await generations(of: ancestors, in: transaction)
    }
}
