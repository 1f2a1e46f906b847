import Base
import Database
import TokenTree

/// The one-time password of a registration, which a person hears apart from the code: five wrong ones, or none where it
/// is due, and the registration is over.
struct OneTimePassword: Sendable {
    static let tries = 5

    let registrations: RegistrationStore
    let events: RegistrationEvents
    let clock: WallClock

    /// Whether `typed` is right; always when none is due at this `moment`. In constant time.
    func admits(_ typed: String?, _ registration: PhoneRegistration, at moment: OTPValidation) throws -> Bool {
        guard let otp = registration.otp, registration.otpValidation == moment else { return true }
        let wanted = try registrations.vault.open(otp, .otp, of: registration.id)
        return wanted.expose { ConstantTime.equal($0, Array((typed ?? "").utf8)) }
    }

    /// Counts a wrong one. The registration is held.
    func strike(_ registration: PhoneRegistration, by actor: AuditActor, in transaction: any SQLExecutor) async throws {
        let struck = try await registrations.update(
            registration, "otp_tries = least(r.otp_tries + 1, \(OneTimePassword.tries))", in: transaction)
        let node = OperationsAudit.node(struck.id)
        try await OperationsAudit.write(
            "operations.registration.otp", actor, about: node, outcome: "refused", ["tries": .integer(struck.otpTries)],
            at: clock.now(),
            in: transaction)
        try await events.tell(RegistrationEvent(kind: .failedAttempt, registration: struck), transaction)
        guard struck.otpTries >= OneTimePassword.tries else { return }
        let removed = try await registrations.remove(struck, in: transaction)
        try await OperationsAudit.write(
            "operations.registration.remove", actor, about: node, outcome: "attempts", at: clock.now(), in: transaction)
        try await events.tell(RegistrationEvent(kind: .removed, registration: removed), transaction)
    }
}
