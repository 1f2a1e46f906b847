import Accounts
import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// What an operator does with everybody's registrations and operations, in a transaction of the caller's, which may be
/// rolled back. Throws `BackOfficeRefusal`.
///
/// Whoever has a phone that an operator takes away may be in there: with it the browser sessions of its account end
/// that showed such a one.
public struct OperationsOperator: Sendable {
    /// Which registrations; everything that is given must hold.
    public struct WhichRegistrations: Sendable {
        public var owner: String?
        public var userID: String?
        public var appID: String?
        public var isBlocked = false

        public init() {}
    }

    /// Which operations.
    public struct WhichOperations: Sendable {
        public var owner: String?
        public var userID: String?
        public var externalID: String?
        public var status: OperationStatus?
        public var isUnclaimed = false

        public init() {}
    }

    let powerAuth: PowerAuthService
    private let service: OperationsService
    private let revocation: Revocation
    let caller: OperationsCaller
    private var registrations: RegistrationService { RegistrationService(parts: powerAuth.parts) }

    public init(
        _ powerAuth: PowerAuthService, _ operations: OperationsService, _ revocation: Revocation, actor: AuditActor
    ) {
        (self.powerAuth, service, self.revocation, caller) = (
            powerAuth, operations, revocation, OperationsCaller.administrator(actor)
        )
    }

    // MARK: Registrations

    /// The newest first; `after` is an id.
    public func registrations(
        _ which: WhichRegistrations, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [PhoneRegistration] {
        let now = service.clock.now()
        let state: SQL =
            which.isBlocked ? "r.state = 'BLOCKED' and not \(PhoneRegistration.isActive(at: now))" : "true"
        return try await executor.query(
            """
            select \(PhoneRegistration.columns) from phone_registration r
                join phone_application p on p.id = r.application
            where (\(which.owner)::text is null or r.owner = \(which.owner)) and (\(which.userID)::text is null
                or r.user_id = \(which.userID))
              and (\(which.appID)::text is null or p.app_id = \(which.appID)) and \(state)
              and (\(after)::text is null or (r.created_at, r.id) < (select c.created_at, c.id
                  from phone_registration c where c.id = \(after)))
            order by r.created_at desc, r.id desc limit \(limit)
            """
        ).map { try PhoneRegistration($0, at: now) }
    }

    public func registration(_ id: String, in executor: any SQLExecutor) async throws -> PhoneRegistration {
        try await powerAuth.parts.registrations.find(id, for: caller, in: executor)
    }

    /// `already`: it was, for the same reason, so whoever came in since did by another. `browsers` as for `remove`.
    public func block(
        _ id: String, reason: String, in transaction: any SQLExecutor
    ) async throws -> (became: PhoneRegistration, already: Bool, browsers: Int?) {
        let before = try await held(id, in: transaction),
            already = before.state == .blocked && before.blockedReason == reason && before.blockedUntil == nil
        let browsers = try await endBrowsers(of: before, isOver: already, in: transaction)
        return (
            try await registrations.change(id, .block(reason: reason), browsers: browsers, by: caller, in: transaction),
            already, browsers
        )
    }

    /// Gives all attempts back. `already`: there was nothing to lift or give.
    public func unblock(
        _ id: String, in transaction: any SQLExecutor
    ) async throws -> (became: PhoneRegistration, already: Bool) {
        let before = try await held(id, in: transaction)
        return (
            try await registrations.change(id, .unblock, by: caller, in: transaction),
            before.state == .active && before.failed == 0
        )
    }

    /// `browsers`: how many browser sessions of its account ended with it; `nil` where no account logs in with it.
    public func remove(
        _ id: String, in transaction: any SQLExecutor
    ) async throws -> (became: PhoneRegistration, already: Bool, browsers: Int?) {
        let before = try await held(id, in: transaction), browsers = try await endBrowsers(of: before, in: transaction)
        return (
            try await registrations.change(id, .remove, browsers: browsers, by: caller, in: transaction),
            before.state == .removed, browsers
        )
    }

    /// A login that it approved waits for its lock (`ApprovalLogin.isStanding`), or has its session by now. One that
    /// was never confirmed let nobody in. One that is removed may have: whoever stole it may have removed it too, and
    /// is spared by what ends other sessions then.
    private func endBrowsers(
        of phone: PhoneRegistration, isOver: Bool = false, in transaction: any SQLExecutor
    ) async throws -> Int? {
        guard phone.owner == OperationsCaller.idpOwner, let account = UUID(uuidString: phone.userID) else { return nil }
        guard !isOver, phone.isFactor || phone.state == .removed else { return 0 }
        let shown = try await SessionStore(clock: service.clock).showing(
            ApprovalLogin.factor, of: account, in: transaction)
        for session in shown {
            try await revocation.revoke(.virtual(Ancestor(.session, session)), by: caller.actor, in: transaction)
        }
        return shown.count
    }

    /// Signatures wait until the transaction ends, so that what is told is what was.
    private func held(_ id: String, in transaction: any SQLExecutor) async throws -> PhoneRegistration {
        try await powerAuth.parts.registrations.hold(id, for: caller, in: transaction)
    }

    // MARK: Operations

    /// The newest first; `after` is an id.
    public func operations(
        _ which: WhichOperations, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [PhoneOperation] {
        let now = service.clock.now(), state: SQL = which.status.map { service.store.reads($0) } ?? "true",
            belonging: SQL = which.isUnclaimed ? "x.user_id is null" : "true"
        return try await executor.query(
            """
            select \(PhoneOperation.columns) from \(PhoneOperation.source)
            where (\(which.owner)::text is null or x.owner = \(which.owner)) and (\(which.userID)::text is null
                or x.user_id = \(which.userID))
              and (\(which.externalID)::text is null or x.external_id = \(which.externalID))
              and \(state) and \(belonging)
              and (\(after)::text is null or x.number < (select c.number from phone_operation c where c.id = \(after)))
            order by x.number desc limit \(limit)
            """
        ).map { try PhoneOperation($0, at: now) }
    }

    public func operation(_ id: String, in executor: any SQLExecutor) async throws -> PhoneOperation {
        try await service.store.find(id, for: caller, in: executor)
    }

    /// Who waits for it, and who sends what is told of it, hear of it with the commit. `already`: it was canceled
    /// before.
    public func cancel(
        _ id: String, reason: String?, in transaction: any SQLExecutor
    ) async throws -> (became: PhoneOperation, already: Bool) {
        let before = try await service.store.find(id, for: caller, locked: true, in: transaction)
        guard before.status != .canceled else { return (before, true) }
        let became = try await service.cancel(id, reason: reason, by: caller, in: transaction)
        try await service.changes.announce(id, within: transaction)
        await service.decisions.wake(in: transaction)
        return (became, false)
    }
}

// MARK: As an operator reads them

extension PhoneRegistration {
    public var operatorJSON: JSONObject {
        var members: JSONObject = [
            "id": .string(id), "status": .string(state.rawValue), "owner": .string(owner), "app": .string(appID),
            "user": .string(userID), "protocol": .string(protocolVersion.rawValue), "algorithm": .string(algorithm),
        ]
        if let name { members["name"] = .string(name) }
        if let platform { members["platform"] = .string(platform) }
        if let deviceInfo { members["device"] = .string(deviceInfo) }
        members["failed_attempts"] = .integer(failed)
        members["max_failed_attempts"] = .integer(maximumFailed)
        if !flags.isEmpty { members["flags"] = JSONValue(strings: flags) }
        if state == .blocked, let blockedReason { members["blocked_reason"] = .string(blockedReason) }
        if state == .blocked, let blockedUntil { members["blocked_until"] = .string(blockedUntil.rfc3339) }
        if let fingerprint { members["fingerprint"] = .string(fingerprint) }
        members["created_at"] = .string(createdAt.rfc3339)
        if let lastUsedAt { members["last_used_at"] = .string(lastUsedAt.rfc3339) }
        return members
    }
}

extension PhoneOperation {
    /// Neither data nor parameters: what a payment is about is nobody's business here.
    public var operatorJSON: JSONObject {
        var members: JSONObject = [
            "id": .string(id), "status": .string(status.rawValue), "type": .string(type),
            "template": .string(template.name),
            "owner": .string(owner),
        ]
        func add(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
        add("user", userID)
        add("external_id", externalID)
        add("status_reason", statusReason)
        add("reject_reason", rejectReason)
        members["failures"] = .integer(failures)
        members["max_failures"] = .integer(maxFailures)
        add("registration", finishedBy)
        add("factor", factor?.rawValue)
        add("proximity", proximity?.kind?.rawValue)
        if offlineURI != OfflineAnswer.uriID { add("offline_uri", offlineURI) }
        add("created_at", createdAt.rfc3339)
        add("expires_at", expiresAt.rfc3339)
        add("finished_at", finishedAt?.rfc3339)
        return members
    }
}
