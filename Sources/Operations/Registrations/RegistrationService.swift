import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// The back office's side of registrations (design/backoffice.md, "Registrations").
struct RegistrationService: Sendable {
    let parts: PowerAuthServices
    private var store: RegistrationStore { parts.registrations }

    init(parts: PowerAuthServices) { self.parts = parts }

    func start(
        _ draft: PhoneRegistrationDraft, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> StartedRegistration {
        let now = parts.clock.now(), owner = try caller.beginner(), expires = try draft.codeEnds(from: now)
        guard let user = try caller.user(draft.userID) else {
            throw BackOfficeRefusal.request("userId is missing or empty")
        }
        try await AppQuota(clock: parts.clock).admit(.registration, by: caller, in: transaction)
        let application = try await parts.applications.chosen(draft.appID, for: caller, in: transaction)
        let id = OperationID.fresh(parts.randomness)
        let code =
            owner == OperationsCaller.idpOwner ? parts.idpCodes.code(of: id) : ActivationCode.fresh(parts.randomness)
        let otp = try draft.otp.map { try parts.vault.seal(SecretBytes($0.utf8), .otp, of: id) }
        _ = try await transaction.execute(
            """
            insert into phone_registration (id, application, owner, begun_by, lineage, user_id, commit_phase,
                code_hash, expires_at, otp, otp_sealed_by, otp_validation,
                                            flags, created_at)
            values (\(id), \(application.id), \(owner), \(caller.family), \(caller.lineage), \(user),
                \(draft.commitPhase.rawValue), \(Digest.sha256(code.text)),
                    \(expires), \(otp?.bytes), \(otp?.by), \(draft.otpValidation?.rawValue), \(draft.flags), \(now))
            """)
        let registration = try await store.find(id, for: caller, in: transaction)
        try await audit(
            "operations.registration", caller.actor, registration,
            ["app_id": .string(application.appID), "owner": .string(owner)], in: transaction)
        try await tell(.created, registration, in: transaction)
        return StartedRegistration(
            registration: registration, code: code,
            signature: try await parts.applications.signature(
                of: code, for: application, draft.protocolVersion, in: transaction))
    }

    /// A wrong password is counted, committed and then thrown.
    func commit(
        _ id: String, _ commit: RegistrationCommit, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> Outcome<PhoneRegistration> {
        try await TokenBoundRow.hold("phone_registration", "x.id = \(id)", in: transaction)
        let registration = try await store.hold(id, for: caller, in: transaction)
        guard registration.state == .pendingCommit else {
            throw BackOfficeRefusal.registrationChange("the registration is not waiting to be committed")
        }
        let passwords = OneTimePassword(registrations: store, events: parts.events, clock: parts.clock)
        guard try passwords.admits(commit.otp, registration, at: .onCommit) else {
            try await passwords.strike(registration, by: caller.actor, in: transaction)
            return .refused(BackOfficeRefusal.invalidOTP("the one-time password is wrong or missing"))
        }
        let committed = try await store.update(
            registration,
            """
            state = 'ACTIVE', committed_at = \(parts.clock.now()), otp = null, otp_sealed_by = null
            """, in: transaction)
        var detail = JSONObject()
        if let external = commit.externalUserID { detail["external_user"] = .string(external) }
        try await audit("operations.registration.commit", caller.actor, committed, detail, in: transaction)
        try await tell(.active, committed, in: transaction)
        return .done(committed)
    }

    /// `browsers` ended with it, for the trail.
    func change(
        _ id: String, _ change: RegistrationChange, browsers: Int? = nil, by caller: OperationsCaller,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let registration = try await store.hold(id, for: caller, in: transaction),
            noted: JSONObject = browsers.map { ["browsers": .integer($0)] } ?? [:]
        switch change {
        case .block(let reason): return try await block(registration, reason, noted, by: caller, in: transaction)
        case .unblock: return try await unblock(registration, by: caller, in: transaction)
        case .remove: return try await remove(registration, noted, by: caller.actor, in: transaction)
        case .flags(let flags):
            guard registration.state != .removed else {
                throw BackOfficeRefusal.registrationChange("the registration is removed")
            }
            let changed = try await store.update(registration, "flags = \(flags)", in: transaction)
            try await audit(
                "operations.registration.flags", caller.actor, changed, ["flags": JSONValue(strings: flags)],
                in: transaction)
            try await tell(.flags, changed, in: transaction)
            return changed
        }
    }

    /// Blocking what is blocked changes the reason.
    private func block(
        _ registration: PhoneRegistration, _ reason: String, _ noted: JSONObject, by caller: OperationsCaller,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        guard registration.state == .active || registration.state == .blocked else {
            throw BackOfficeRefusal.registrationChange("only an active registration can be blocked")
        }
        let blocked = try await store.update(
            registration, "state = 'BLOCKED', blocked_reason = \(reason), blocked_until = null", in: transaction)
        var detail = noted
        detail["reason"] = .string(reason)
        try await audit("operations.registration.block", caller.actor, blocked, detail, in: transaction)
        try await tell(.blocked, blocked, in: transaction)
        return blocked
    }

    /// Attempts are full again. What is active stays as it is. Not for apps: who has phone and app token would try PINs
    /// without end.
    private func unblock(
        _ registration: PhoneRegistration, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        guard caller.person == nil else {
            throw BackOfficeRefusal.registrationNotAllowed(
                "an app cannot unblock: remove the registration and begin another")
        }
        guard registration.state == .blocked || registration.state == .active else {
            throw BackOfficeRefusal.registrationChange("only a blocked registration can be unblocked")
        }
        let unblocked = try await store.update(
            registration, "\(RegistrationStore.lifting), blocks = 0", in: transaction)
        try await audit("operations.registration.unblock", caller.actor, unblocked, in: transaction)
        try await tell(.unblocked, unblocked, in: transaction)
        return unblocked
    }

    /// From any state, and again.
    func remove(
        _ registration: PhoneRegistration, _ noted: JSONObject = [:], by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let removed = try await store.remove(registration, in: transaction)
        try await audit("operations.registration.remove", actor, removed, noted, in: transaction)
        if registration.state != .removed { try await tell(.removed, removed, in: transaction) }
        return removed
    }

    private func audit(
        _ action: String, _ actor: AuditActor, _ registration: PhoneRegistration, _ detail: JSONObject = [:],
        in executor: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            action, actor, about: OperationsAudit.node(registration.id), detail, at: parts.clock.now(), in: executor)
    }

    private func tell(
        _ kind: RegistrationEvent.Kind, _ registration: PhoneRegistration, in executor: any SQLExecutor
    ) async throws {
        try await parts.events.tell(RegistrationEvent(kind: kind, registration: registration), executor)
    }
}
