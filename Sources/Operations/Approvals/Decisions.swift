import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// What the ways of deciding about an operation share: matching, counting, and what follows a change. Everything within
/// the caller's transaction.
struct Decisions: Sendable {
    let store: OperationStore
    let vault: SealedColumns
    let callbacks: CallbackOutbox
    let pushes: PhonePushOutbox
    let clock: WallClock

    /// What a transaction came to: what is to be announced after the commit, and what is thrown then.
    struct Settled: Sendable {
        var changed: PhoneOperation? = nil
        var refusal: OperationsRefusal? = nil
        /// Why a phone let nobody in, where the operation is a login here.
        var refusedLogin: RefusedStep? = nil
    }

    enum Match: Sendable {
        case found(PhoneOperation)
        case refused(OperationsRefusal, RefusedStep)
    }

    /// Whether this phone may have to do with the operation, in the order of backoffice.md: is there, application,
    /// user, registration, flag, state.
    func match(_ operation: PhoneOperation?, _ registration: PhoneRegistration) -> Match {
        let unknown = OperationsRefusal.invalidRequest("there is no such operation")
        guard let operation else { return .refused(unknown, .unknown) }
        // In the server's application are phones of its own people and phones that apps registered: what one side asks
        // is nothing to the other.
        if operation.application != registration.applicationID || operation.owner != registration.owner {
            return .refused(unknown, .otherApplication)
        }
        if let user = operation.userID, !user.isSame(as: registration.userID) {
            return .refused(unknown, .otherUser)
        }
        if let bound = operation.boundTo, bound != registration.id { return .refused(unknown, .otherRegistration) }
        if !operation.admits(registration.flags) { return .refused(.requiresFlag, .flagMissing) }
        if let refusal = operation.status.refusal { return .refused(refusal, .notPending) }
        return .found(operation)
    }

    /// Factor, data, proximity code: the first that is wrong.
    func objection(to operation: PhoneOperation, _ body: AuthorizeBody, _ factor: FactorType) throws -> RefusedStep? {
        guard operation.allowedFactors.contains(factor) else { return .factorNotAllowed }
        guard ConstantTime.equal(Array(operation.data.utf8), Array(body.data.utf8)) else { return .dataMismatch }
        guard let seed = try secret(of: operation) else { return nil }
        guard let otp = body.otp else { return .proximityMissing }
        return ProximityCode.isRight(otp, seed: seed, at: clock.now()) ? nil : .proximityMismatch
    }

    /// The seed; `nil` without a proximity check.
    func secret(of operation: PhoneOperation) throws -> SecretBytes? {
        try operation.seed.map { try vault.open($0, .proximitySeed, of: operation.id) }
    }

    // MARK: What follows

    /// One failure more of an operation that this transaction holds; `refusal` is what is thrown while it is not the
    /// last.
    func count(
        _ operation: PhoneOperation, _ step: RefusedStep, by actor: AuditActor, otherwise refusal: OperationsRefusal,
        _ more: JSONObject = [:], in transaction: any SQLExecutor
    ) async throws -> Settled {
        let after = try await store.fail(operation, in: transaction)
        var detail = more
        detail["failures"] = .integer(after.failures)
        try await refuse(
            "attempt", operation.id, step, by: actor, account: operation.account,
            detail, in: transaction)
        let refusedLogin = after.isLoginHere ? step : nil
        guard after.status == .failed else {
            try await callbacks.add("attempt_failed", of: after, in: transaction)
            return Settled(changed: after, refusal: refusal, refusedLogin: refusedLogin)
        }
        try await ended(after, "fail", by: actor, in: transaction)
        return Settled(changed: after, refusal: .alreadyFailed, refusedLogin: refusedLogin)
    }

    /// Audit, callbacks and pushes of an operation that has just ended.
    func ended(
        _ operation: PhoneOperation, _ action: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        try await note(action, operation, by: actor, Decisions.detail(of: operation), in: transaction)
        try await callbacks.add(operation.status.rawValue.lowercased(), of: operation, in: transaction)
        try await pushes.finished(operation, in: transaction)
    }

    /// What `ended` writes, as parts of the statement that ends the operation, for each row of `rows` there. `actor`
    /// gives no reason.
    func ending(
        _ operation: PhoneOperation, _ action: String, by actor: AuditActor,
        telling listeners: [CallbackOutbox.Listener], each rows: SQL
    ) -> [SQL] {
        var parts: [SQL] = []
        if !operation.isNobodys {
            let detail = JSONValue.object(Decisions.detail(of: operation))
            parts.append(
                AuditTrail.lines(
                    "operations.\(action)", of: rows, actor: "\(actor.name)", origin: "\(actor.origin)",
                    node: "\(Decisions.node(operation.id))", account: "\(operation.account)", detail: "\(detail)",
                    at: clock.now()))
        }
        if !listeners.isEmpty {
            let change = operation.status.rawValue.lowercased()
            parts.append(callbacks.adding(change, of: operation, to: listeners, each: rows))
        }
        if let push = pushes.finishing(operation, each: rows) { parts.append(push) }
        return parts
    }

    private static func detail(of operation: PhoneOperation) -> JSONObject {
        var detail: JSONObject = [
            "status": .string(operation.status.rawValue), "type": .string(operation.type),
            "owner": .string(operation.owner),
        ]
        if let factor = operation.factor { detail["factor"] = .string(factor.rawValue) }
        if let registration = operation.finishedBy { detail["registration"] = .string(registration) }
        if let reason = operation.statusReason { detail["reason"] = .string(reason) }
        for (name, value) in self.detail(of: operation.proximity) { detail[name] = value }
        return detail
    }

    /// Of what the phone told of its proximity check: never the code.
    static func detail(of proximity: ProximityReport?) -> JSONObject {
        proximity.map { ["proximity": $0.json] } ?? [:]
    }

    /// No line of a login that anybody's browser can begin, before a phone has claimed it for its person.
    func note(
        _ action: String, _ operation: PhoneOperation, by actor: AuditActor, _ detail: JSONObject,
        in executor: any SQLExecutor
    ) async throws {
        guard !operation.isNobodys else { return }
        try await OperationsAudit.write(
            "operations.\(action)", actor, about: Decisions.node(operation.id), account: operation.account, detail,
            at: clock.now(),
            in: executor)
    }

    /// A line for what was refused, with the step as its reason.
    func refuse(
        _ action: String, _ id: String, _ step: RefusedStep, by actor: AuditActor, account: UUID? = nil,
        _ more: JSONObject = [:],
        in executor: any SQLExecutor
    ) async throws {
        var detail: JSONObject = ["step": .string(step.rawValue)]
        for (name, value) in more { detail[name] = value }
        try await OperationsAudit.write(
            "operations.\(action)", actor.because(step.rawValue), about: Decisions.node(id), account: account,
            outcome: "refused",
            detail, at: clock.now(), in: executor)
    }

    /// After the commit: who sends what was written.
    func wake(in executor: any SQLExecutor) async { await callbacks.wake(in: executor) }

    /// What somebody else names is cut to a length that a line has room for.
    static func node(_ id: String) -> String { "operation:\(id.prefix(64))" }
}
