import Base
import Database
import Foundation
import Logging
import PowerAuth
import TokenTree

/// Says which step refused a phone: in the audit trail when a registration of ours was named, otherwise in the log,
/// since anybody can make those.
struct RefusalTrail: Sendable {
    enum Subject: String, Sendable {
        case signature, token, envelope, activation
        case temporaryKey = "temporary_key"
    }

    /// Of one registration and step one line in so many seconds: a blocked phone asks every few seconds, and who knows
    /// an id could fill the trail.
    static let pause: TimeInterval = 60
    static let namespace = "operations refusals"

    let clock: WallClock
    let oneTime: OneTimeStore
    let logger: Logger

    /// `always` for what was counted.
    func write(
        _ refusal: PowerAuthRefusal, of subject: Subject, _ registration: PhoneRegistration?, origin: String?,
        _ detail: JSONObject = [:], always: Bool = false,
        in executor: any SQLExecutor
    ) async throws {
        guard let registration else {
            logger.info("a phone was refused", metadata: ["what": "\(subject.rawValue)", "step": "\(refusal.explain)"])
            return
        }
        if !always {
            guard try await admits(subject.rawValue, refusal.explain, of: registration, in: executor) else { return }
        }
        var detail = detail
        detail["step"] = .string(refusal.explain)
        let actor = OperationsAudit.phone(registration.id, origin: origin).because(refusal.explain)
        try await OperationsAudit.write(
            "operations.\(subject.rawValue)", actor, about: OperationsAudit.node(registration.id),
            account: registration.account,
            outcome: "refused", detail, at: clock.now(), in: executor)
    }

    /// Whether a line is due: true once a minute for each registration, `subject` and step.
    func admits(
        _ subject: String, _ step: String, of registration: PhoneRegistration, in executor: any SQLExecutor
    ) async throws -> Bool {
        let minute = Int(clock.now().timeIntervalSince1970 / RefusalTrail.pause),
            name = "\(registration.id) \(subject) \(step) \(minute)"
        let until = Date(timeIntervalSince1970: TimeInterval(minute + 1) * RefusalTrail.pause)
        return try await oneTime.claim(
            name, namespace: RefusalTrail.namespace, expires: until, in: executor is Database ? nil : executor)
    }
}
