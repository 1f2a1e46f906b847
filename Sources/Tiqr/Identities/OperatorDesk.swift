import Base
import Database
import Foundation
import TokenTree

/// An identity as the operator sees it: with whose it is.
public struct OwnedIdentity: Sendable {
    public let identity: TiqrIdentity
    /// `house`, `client:ID` or `person:PSEUDONYM`.
    public let owner: String

    public var json: JSONObject {
        var members = identity.json.object ?? [:]
        members["owner"] = .string(owner)
        return members
    }
}

/// What an operator does with everybody's identities, in a transaction of the caller's, which may be rolled back. Throws `TiqrRefusal`.
public struct OperatorDesk: Sendable {
    private let identities: IdentityStore
    private let caller: TiqrCaller
    private let clock: WallClock

    public init(_ service: TiqrService, actor: Actor) { (identities, caller, clock) = (service.identityStore, TiqrCaller.administrator(actor), service.clock) }

    /// By name; `owner` and `externalID` where they are given, `after` a name.
    public func list(owner: String? = nil, externalID: String? = nil, after: String? = nil, limit: Int, in executor: any SQLExecutor) async throws -> [OwnedIdentity] {
        try await read("""
            (\(owner)::text is null or i.owner = \(owner)) and (\(externalID)::text is null or i.external_id = \(externalID)) and i.identity > \(after ?? "")
            order by i.identity limit \(limit)
            """, in: executor)
    }

    public func find(_ name: String, in executor: any SQLExecutor) async throws -> OwnedIdentity { try await one(name, "", in: executor) }

    /// Without `minutes` for good. `already`: it was.
    public func block(_ name: String, minutes: Int?, in transaction: any SQLExecutor) async throws -> (became: OwnedIdentity, already: Bool) {
        let before = try await held(name, in: transaction).identity
        try await identities.block(name, minutes: minutes, for: caller, in: transaction)
        return (try await find(name, in: transaction), minutes == nil && before.status == .blocked && before.blockedUntil == nil)
    }

    /// Ends any block and gives all attempts back. `already`: there was nothing to end or give.
    public func unblock(_ name: String, in transaction: any SQLExecutor) async throws -> (became: OwnedIdentity, already: Bool) {
        let before = try await held(name, in: transaction).identity
        try await identities.unblock(name, for: caller, in: transaction)
        return (try await find(name, in: transaction), before.status != .blocked && before.attemptsLeft == BlockLadder.attempts)
    }

    /// As it was.
    public func remove(_ name: String, in transaction: any SQLExecutor) async throws -> OwnedIdentity {
        let before = try await held(name, in: transaction)
        try await identities.remove(name, for: caller, in: transaction)
        return before
    }

    /// Answers wait until the transaction ends, so that what is told is what was.
    private func held(_ name: String, in transaction: any SQLExecutor) async throws -> OwnedIdentity { try await one(name, "for update of i", in: transaction) }

    private func one(_ name: String, _ lock: SQL, in executor: any SQLExecutor) async throws -> OwnedIdentity {
        guard let found = try await read("i.identity = \(name) \(lock)", in: executor).first else { throw TiqrRefusal.notFound("there is no tiqr identity \(name)") }
        return found
    }

    private func read(_ condition: SQL, in executor: any SQLExecutor) async throws -> [OwnedIdentity] {
        let now = clock.now()
        return try await executor.query("select \(TiqrIdentity.columns), i.owner from tiqr_identity i where \(condition)")
            .map { row in OwnedIdentity(identity: try TiqrIdentity(row, at: now), owner: try row("owner")) }
    }
}
