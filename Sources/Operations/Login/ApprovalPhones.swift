import Base
import Database
import Foundation
import TokenTree

/// What people of the IdP do with the phones that approve: setting up, confirming, removing.
extension ApprovalLogin {
    /// More than anybody holds; those that are being set up count too.
    public static let mostPhones = 20

    private var parts: PowerAuthServices { powerAuth.parts }

    // MARK: Reading

    /// In use or blocked, and those that are being set up; most recently used first.
    public func phones(of account: UUID) async throws -> [PhoneRegistration] {
        try await parts.registrations.standing(
            user: ApprovalLogin.userID(account), for: .identityProvider(.server), in: parts.database)
    }

    public func isEnrolled(_ account: UUID, in executor: any SQLExecutor) async throws -> Bool {
        try await parts.registrations.standing(
            user: ApprovalLogin.userID(account), for: .identityProvider(.server), in: executor
        )
        .contains(where: \.isFactor)
    }

    /// Whether a push would reach anything.
    public func canRing(_ account: UUID) async throws -> Bool {
        try await !parts.database.query(
            """
            select r.id from phone_registration r
            where r.owner = 'house' and r.user_id = \(ApprovalLogin.userID(account))
                and \(operations.settings.pushes.reaches(at: parts.clock.now())) limit 1
            """
        ).isEmpty
    }

    /// Base URL and configuration for the SDK of an app that approves for this server.
    public func configuration() async throws -> (base: String, sdkConfig: String?) {
        (operations.settings.base, try await powerAuth.idpApplication().sdkConfig)
    }

    // MARK: Setting up

    /// Throws `BackOfficeRefusal.registrationNotAllowed` for a person who has `mostPhones`. Gives the name of the
    /// registration, which never goes to the browser. `lineage` is that of the session in which the person asks: until
    /// the phone is confirmed, the registration ends with it.
    public func register(_ account: UUID, below lineage: [NodeID], actor: AuditActor) async throws -> String {
        guard try await phones(of: account).count < ApprovalLogin.mostPhones else {
            throw BackOfficeRefusal.registrationNotAllowed(
                "there are \(ApprovalLogin.mostPhones) phones already: remove one first")
        }
        let draft = try PhoneRegistrationDraft(userID: ApprovalLogin.userID(account))
        return try await powerAuth.startRegistration(draft, by: .identityProvider(actor, below: lineage)).registration
            .id
    }

    /// `nil` for what is no registration of the server.
    public func setup(_ id: String) async throws -> ApprovalPhoneSetup? {
        try await ApprovalLogin.found { try await readSetup(id) }
    }

    /// Held until it is another than `etag`, at most `seconds`.
    public func waitSetup(_ id: String, unlike etag: String, within seconds: Int) async throws -> ApprovalPhoneSetup? {
        try await ApprovalLogin.found {
            try await operations.changes.wait(for: id, unlike: etag, within: seconds, clock: parts.clock) {
                try await readSetup(id)
            }
        }
    }

    private func readSetup(_ id: String) async throws -> ApprovalPhoneSetup {
        ApprovalPhoneSetup(
            try await parts.registrations.find(id, for: .identityProvider(.server), in: parts.database),
            at: parts.clock.now())
    }

    /// The activation code again, for the page.
    public func code(of setup: ApprovalPhoneSetup) async throws -> StartedRegistration {
        let code = parts.idpCodes.code(of: setup.registration.id),
            application = try await parts.applications.ofIdentityProvider(in: parts.database)
        return StartedRegistration(
            registration: setup.registration, code: code,
            signature: try await parts.applications.signature(of: code, for: application, nil, in: parts.database))
    }

    /// The person has compared the digits. False where the phone is not waiting for that, or not theirs.
    public func confirm(_ id: String, of account: UUID, actor: AuditActor) async throws -> Bool {
        let owner = ApprovalLogin.userID(account)
        do {
            guard
                try await parts.registrations.find(id, for: .identityProvider(actor), in: parts.database).userID
                    == owner
            else {
                return false
            }
            _ = try await powerAuth.commit(id, RegistrationCommit(externalUserID: owner), by: .identityProvider(actor))
        } catch BackOfficeRefusal.registrationChange {
            return false
        } catch BackOfficeRefusal.registrationNotFound {
            return false
        }
        await operations.changes.announce(id, in: parts.database)
        return true
    }

    /// Nothing comes of it, if nothing has: a phone that is in use is removed by `remove` alone.
    public func abandon(_ id: String, of account: UUID, actor: AuditActor) async throws {
        let registrations = RegistrationService(parts: parts)
        try await parts.database.atomically { transaction in
            guard let held = try await parts.registrations.hold(id, in: transaction),
                held.owner == OperationsCaller.idpOwner,
                held.userID == ApprovalLogin.userID(account), held.state == .created || held.state == .pendingCommit
            else { return }
            _ = try await registrations.remove(held, by: actor, in: transaction)
        }
        await operations.changes.announce(id, in: parts.database)
    }

    // MARK: Removing

    /// Ends a phone, in the caller's transaction. `registrationNotFound` for another's. With `keepingOne` the last that
    /// is a factor stays: `registrationNotAllowed`.
    public func remove(
        _ id: String, of account: UUID, keepingOne: Bool, actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        // All held, so that of two phones removed at once one is the last.
        let phones = try await parts.registrations.standing(
            user: ApprovalLogin.userID(account), for: .identityProvider(actor), held: true, in: transaction)
        guard let phone = phones.first(where: { $0.id == id }) else { throw BackOfficeRefusal.registrationNotFound }
        if keepingOne, phone.isFactor, phones.count(where: { $0.isFactor }) == 1 {
            throw BackOfficeRefusal.registrationNotAllowed("the last phone of an account that must have one")
        }
        _ = try await RegistrationService(parts: parts).remove(phone, by: actor, in: transaction)
    }

    /// The account is deleted: nothing of it approves or is set up any more. How many phones there were. No key is
    /// needed, so it works where operations do not run.
    public static func removeAll(
        of account: UUID, actor: AuditActor, at now: Date, in transaction: any SQLExecutor
    ) async throws -> Int {
        let user = userID(account)
        let removed: [String] = try await transaction.query(
            """
            update phone_registration r set \(RegistrationStore.removal(at: now)) where r.owner = 'house'
                and r.user_id = \(user) and r.state <> 'REMOVED' returning r.id
            """
        ).map { try $0("id") }
        _ = try await transaction.batch([
            "delete from phone_token where registration = any (\(removed))",
            "delete from phone_temporary_key where registration = any (\(removed))",
            """
            update phone_operation x set status = 'CANCELED', status_reason = 'ACCOUNT_DELETED',
                finished_at = \(now), version = x.version + 1
            where x.owner = 'house' and x.user_id = \(user) and x.status = 'PENDING'
            """,
        ])
        for id in removed {
            try await OperationsAudit.write(
                "operations.registration.remove", actor, about: OperationsAudit.node(id), at: now, in: transaction)
        }
        return removed.count
    }
}

extension PhoneRegistration {
    /// It was confirmed, and has not been removed: one who must show a factor has this one, be it blocked.
    public var isFactor: Bool { state == .active || state == .blocked }
}
