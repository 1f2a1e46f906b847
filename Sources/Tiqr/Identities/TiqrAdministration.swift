import Accounts
import Base
import Database
import Foundation
import TokenTree

/// An identity as the operator sees it: with whose it is.
public struct OwnedIdentity: Sendable {
    public let identity: TiqrIdentity
    /// `house`, `client:ID` or `person:PSEUDONYM`.
    public let owner: String

    /// The account that logs in with it; `nil` for those of services and apps.
    var account: UUID? { owner == "house" ? identity.externalID.flatMap { UUID(uuidString: $0) } : nil }

    public var json: JSONObject {
        var members = identity.json.object ?? [:]
        members["owner"] = .string(owner)
        return members
    }
}

/// What an operator does with everybody's identities, in a transaction of the caller's, which may be rolled back.
/// Throws `TiqrRefusal`.
///
/// Whoever has a phone that an operator takes away may be in there: with it the browser sessions of its account end
/// that showed such a one.
public struct TiqrAdministration: Sendable {
    private let identities: IdentityStore
    private let revocation: Revocation
    private let caller: TiqrCaller
    private let clock: WallClock

    public init(_ service: TiqrService, _ revocation: Revocation, actor: AuditActor) {
        (identities, self.revocation, caller, clock) = (
            service.identityStore, revocation, TiqrCaller.administrator(actor), service.clock
        )
    }

    /// By name; `owner` and `externalID` where they are given, `after` a name.
    public func list(
        owner: String? = nil, externalID: String? = nil, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [OwnedIdentity] {
        try await read(
            """
            (\(owner)::text is null or i.owner = \(owner)) and (\(externalID)::text is null
                or i.external_id = \(externalID)) and i.identity > \(after ?? "")
            order by i.identity limit \(limit)
            """, in: executor)
    }

    public func find(_ name: String, in executor: any SQLExecutor) async throws -> OwnedIdentity {
        try await one(name, "", in: executor)
    }

    /// Without `minutes` for good. `already`: it was, so whoever came in since did by another. `browsers` as for
    /// `remove`.
    public func block(
        _ name: String, minutes: Int?, in transaction: any SQLExecutor
    ) async throws -> (became: OwnedIdentity, already: Bool, browsers: Int?) {
        let before = try await held(name, in: transaction)
        let already = minutes == nil && before.identity.status == .blocked && before.identity.blockedUntil == nil
        let browsers = try await endBrowsers(of: before, isOver: already, in: transaction)
        try await identities.block(name, minutes: minutes, browsers: browsers, for: caller, in: transaction)
        return (try await find(name, in: transaction), already, browsers)
    }

    /// Ends any block and gives all attempts back. `already`: there was nothing to end or give.
    public func unblock(
        _ name: String, in transaction: any SQLExecutor
    ) async throws -> (became: OwnedIdentity, already: Bool) {
        let before = try await held(name, in: transaction).identity
        try await identities.unblock(name, for: caller, in: transaction)
        return (
            try await find(name, in: transaction),
            before.status != .blocked && before.attemptsLeft == BlockLadder.attempts
        )
    }

    /// As it was, and how many browser sessions of its account ended with it; `nil` where no account logs in with it.
    public func remove(
        _ name: String, in transaction: any SQLExecutor
    ) async throws -> (identity: OwnedIdentity, browsers: Int?) {
        let before = try await held(name, in: transaction),
            browsers = try await endBrowsers(of: before, in: transaction)
        try await identities.remove(name, browsers: browsers, for: caller, in: transaction)
        return (before, browsers)
    }

    /// A login that it answered waits for its lock (`TiqrLogin.isStanding`), or has its session by now. One that never
    /// answered rightly let nobody in.
    private func endBrowsers(
        of phone: OwnedIdentity, isOver: Bool = false, in transaction: any SQLExecutor
    ) async throws -> Int? {
        guard let account = phone.account else { return nil }
        guard !isOver, phone.identity.lastLoginAt != nil else { return 0 }
        let shown = try await SessionStore(clock: clock).showing(TiqrLogin.factor, of: account, in: transaction)
        for session in shown {
            try await revocation.revoke(.virtual(Ancestor(.session, session)), by: caller.actor, in: transaction)
        }
        return shown.count
    }

    /// Answers wait until the transaction ends, so that what is told is what was.
    private func held(_ name: String, in transaction: any SQLExecutor) async throws -> OwnedIdentity {
        try await one(name, "for update of i", in: transaction)
    }

    private func one(_ name: String, _ lock: SQL, in executor: any SQLExecutor) async throws -> OwnedIdentity {
        guard let found = try await read("i.identity = \(name) \(lock)", in: executor).first else {
            throw TiqrRefusal.notFound("there is no tiqr identity \(name)")
        }
        return found
    }

    private func read(_ condition: SQL, in executor: any SQLExecutor) async throws -> [OwnedIdentity] {
        let now = clock.now()
        return try await executor.query(
            "select \(TiqrIdentity.columns), i.owner from tiqr_identity i where \(condition)"
        )
        .map { row in OwnedIdentity(identity: try TiqrIdentity(row, at: now), owner: try row("owner")) }
    }
}
