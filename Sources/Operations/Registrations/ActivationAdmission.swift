import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Whoever shows an activation code first, in either protocol: which registration it is for, and how that changes.
struct ActivationAdmission: Sendable {
    /// After the exchange there is at least so much time to commit (decisions.md, operations 6).
    static let commitTime: TimeInterval = 120

    let parts: PowerAuthServices

    /// Locked until the transaction ends; or what refuses it, with its count in the transaction.
    func admit(
        _ code: ActivationCode, _ told: PhoneIntroduction, _ version: ApplicationVersion, origin: String?,
        in transaction: any SQLExecutor
    ) async throws -> (PhoneRegistration?, PhoneRefusal) {
        let unknown = PhoneRefusal(error: .activation, step: .activationCodeUnknown)
        // A code of another application is unknown in this one, and stays what it is.
        let hash = Digest.sha256(code.text)
        try await TokenBoundRow.hold(
            "phone_registration", "x.code_hash = \(hash) and x.application = \(version.applicationID)",
            in: transaction)
        let found = try await parts.registrations.hold(code: hash, application: version.applicationID, in: transaction)
        guard let registration = found else { return (nil, unknown) }
        guard registration.state == .created else {
            return (nil, PhoneRefusal(error: .activation, step: .activationCodeExpired, about: registration))
        }
        let passwords = OneTimePassword(registrations: parts.registrations, events: parts.events, clock: parts.clock)
        guard try passwords.admits(told.otp, registration, at: .onKeyExchange) else {
            let phone = OperationsAudit.phone(registration.id, origin: origin)
            try await passwords.strike(registration, by: phone, in: transaction)
            return (nil, PhoneRefusal(error: .activation, step: .activationOTPMismatch, isWritten: true))
        }
        return (registration, unknown)
    }

    /// The part of the `set` list that is the same in both protocols: the code is used up, and a password that was due
    /// here is too.
    static func admitting(_ registration: PhoneRegistration, _ told: PhoneIntroduction, at now: Date) -> SQL {
        let isActive = registration.commitPhase == .onKeyExchange
        let state = isActive ? ActivationState.active : .pendingCommit, committed: Date? = isActive ? now : nil
        return """
            state = \(state.rawValue), code_hash = null, name = \(told.name), platform = \(told.platform),
                device_info = \(told.deviceInfo), external_id = \(told.externalID), committed_at = \(committed),
                last_used_at = \(now),
                expires_at = greatest(r.expires_at, \(now.addingTimeInterval(ActivationAdmission.commitTime))),
                otp = case when r.otp_validation = 'ON_COMMIT' then r.otp end,
                otp_sealed_by = case when r.otp_validation = 'ON_COMMIT' then r.otp_sealed_by end
            """
    }

    /// Audit and events of an exchange.
    func tell(_ registered: PhoneRegistration, origin: String?, in transaction: any SQLExecutor) async throws {
        let detail: JSONObject = [
            "state": .string(registered.state.rawValue), "app_id": .string(registered.appID),
            "protocol": .string(registered.protocolVersion.rawValue), "algorithm": .string(registered.algorithm),
        ]
        try await OperationsAudit.write(
            "operations.registration.exchange", OperationsAudit.phone(registered.id, origin: origin),
            about: OperationsAudit.node(registered.id), detail, at: parts.clock.now(), in: transaction)
        try await parts.events.tell(
            RegistrationEvent(kind: registered.state == .active ? .active : .exchanged, registration: registered),
            transaction)
    }
}
