import Base
import Database
import Foundation
import OAuth
import PowerAuth
import TokenTree

/// Approving and rejecting, by a phone's signature: at once where nothing speaks against it (`DecideAtOnce`). Else one
/// transaction: the registration is locked by the check of the signature, then the operation; what is refused is
/// committed as well, for it was counted, and thrown afterwards.
struct DecideByPhone: Sendable {
    static let anyFactor: Set<FactorType> = [.possession, .possessionKnowledge, .possessionBiometry]
    static let twoFactors: Set<FactorType> = [.possessionKnowledge, .possessionBiometry]

    let database: Database
    let signatures: SignatureCheck
    let decisions: Decisions
    let changes: ChangeBoard
    let atOnce: DecideAtOnce
    private let metrics: OAuthMetrics
    /// Notifications of one commit: those follow one another.
    private let announcing: GroupCommit<String, Void>
    private var store: OperationStore { decisions.store }

    init(
        database: Database, signatures: SignatureCheck, decisions: Decisions, changes: ChangeBoard,
        metrics: OAuthMetrics
    ) {
        (self.database, self.signatures, self.decisions, self.changes) = (database, signatures, decisions, changes)
        self.metrics = metrics
        atOnce = DecideAtOnce(database: database, signatures: signatures, decisions: decisions)
        announcing = GroupCommit("notifications", lanes: 1, most: 100) { ids in
            await changes.announce(ids, in: database)
            return ids.map { _ in }
        }
    }

    /// `authorize`.
    func approve(_ request: PhoneRequest) async throws {
        let signed = try DecideByPhone.signed(request, uriID: "/operation/authorize"),
            body = Result<AuthorizeBody, any Error> { try AuthorizeBody(request.body) }
        if let asked = try? body.get(), try await isDone(signed, approving(asked), request) { return }
        try await settle { transaction in
            switch try await signatures.check(
                signed, allowing: DecideByPhone.anyFactor, origin: request.origin, in: transaction)
            {
            case .wrong(let refusal, let registration):
                guard refusal == .signatureMismatch, let registration, let asked = try? body.get() else {
                    return .init(refusal: .authenticationFailed)
                }
                return try await countBadSignature(asked.id, registration, request, in: transaction)
            case .right(let registration, let factor, _):
                let asked: AuthorizeBody
                do { asked = try body.get() } catch {
                    return .init(
                        refusal: error as? OperationsRefusal ?? .invalidRequest("the body is no authorization"))
                }
                return try await approve(asked, registration, factor, request, in: transaction)
            }
        }
    }

    private func approving(_ body: AuthorizeBody) -> DecideAtOnce.Decision {
        DecideAtOnce.Decision(
            id: body.id, status: .approved, action: "approve", mobileTokenData: body.mobileTokenData,
            proximity: body.proximity, isHeld: true
        ) { operation, factor in try decisions.objection(to: operation, body, factor) == nil }
    }

    /// Whether it is decided by now, and announced.
    private func isDone(
        _ signed: SignedRequest, _ decision: DecideAtOnce.Decision, _ request: PhoneRequest
    ) async throws -> Bool {
        let done = try await atOnce(signed, decision, allowing: DecideByPhone.anyFactor, origin: request.origin)
        guard let (changed, isTold) = done else { return false }
        _ = try? await announcing.commit(changed.id)
        if isTold { await decisions.callbacks.wake(in: database) }
        return true
    }

    private func approve(
        _ body: AuthorizeBody, _ registration: PhoneRegistration, _ factor: FactorType, _ request: PhoneRequest,
        in transaction: any SQLExecutor
    ) async throws -> Decisions.Settled {
        let actor = OperationsAudit.phone(registration.id, origin: request.origin)
        try await TokenBoundRow.hold("phone_operation", "x.id = \(body.id)", in: transaction)
        let named = try await store.named(body.id, locked: true, in: transaction)
        switch decisions.match(named, registration) {
        case .refused(let refusal, let step):
            try await decisions.refuse("approve", body.id, step, by: actor, in: transaction)
            return .init(refusal: refusal, refusedLogin: named?.isLoginHere == true ? step : nil)
        case .found(let operation):
            if let step = try decisions.objection(to: operation, body, factor) {
                return try await decisions.count(
                    operation, step, by: actor, otherwise: .operationFailed, Decisions.detail(of: body.proximity),
                    in: transaction)
            }
            let end = OperationStore.End(
                mobileTokenData: body.mobileTokenData, proximity: body.proximity, registration: registration,
                factor: factor)
            let approved = try await store.finish(operation, as: .approved, end, in: transaction)
            try await decisions.ended(approved, "approve", by: actor, in: transaction)
            return .init(changed: approved)
        }
    }

    /// Counts at the operation only when the registration is one that could approve it: knowing an id burns nobody's
    /// attempts (decisions.md, operations 4).
    private func countBadSignature(
        _ id: String, _ registration: PhoneRegistration, _ request: PhoneRequest,
        in transaction: any SQLExecutor
    ) async throws -> Decisions.Settled {
        let named = try await store.named(id, locked: true, in: transaction)
        guard case .found(let operation) = decisions.match(named, registration), operation.userID != nil else {
            return .init(refusal: .authenticationFailed)
        }
        let actor = OperationsAudit.phone(registration.id, origin: request.origin)
        return try await decisions.count(
            operation, .signatureMismatch, by: actor, otherwise: .authenticationFailed, in: transaction)
    }

    /// `cancel`: the phone says no. The factors do not matter, the user does: nobody rejects what nobody has claimed.
    func reject(_ request: PhoneRequest) async throws {
        let signed = try DecideByPhone.signed(request, uriID: "/operation/cancel"),
            body = Result<RejectBody, any Error> { try RejectBody(request.body) }
        if let asked = try? body.get(), try await isDone(signed, DecideByPhone.rejecting(asked), request) { return }
        try await settle { transaction in
            let outcome = try await signatures.check(
                signed, allowing: DecideByPhone.anyFactor, origin: request.origin, in: transaction)
            guard case .right(let registration, let factor, _) = outcome else {
                return .init(refusal: .authenticationFailed)
            }
            let asked: RejectBody
            do { asked = try body.get() } catch {
                return .init(refusal: error as? OperationsRefusal ?? .invalidRequest("the body is no rejection"))
            }
            let actor = OperationsAudit.phone(registration.id, origin: request.origin)
            switch decisions.match(try await store.named(asked.id, locked: true, in: transaction), registration) {
            case .refused(let refusal, let step):
                try await decisions.refuse("reject", asked.id, step, by: actor, in: transaction)
                return .init(refusal: refusal)
            case .found(let operation) where operation.userID == nil:
                try await decisions.refuse("reject", asked.id, .otherUser, by: actor, in: transaction)
                return .init(refusal: .invalidRequest("there is no such operation"))
            case .found(let operation):
                let end = OperationStore.End(
                    rejectReason: asked.reason, mobileTokenData: asked.mobileTokenData, registration: registration,
                    factor: factor)
                let rejected = try await store.finish(operation, as: .rejected, end, in: transaction)
                try await decisions.ended(rejected, "reject", by: actor, in: transaction)
                return .init(changed: rejected)
            }
        }
    }

    private static func rejecting(_ body: RejectBody) -> DecideAtOnce.Decision {
        DecideAtOnce.Decision(
            id: body.id, status: .rejected, action: "reject", rejectReason: body.reason,
            mobileTokenData: body.mobileTokenData, isHeld: false
        ) { operation, _ in operation.userID != nil }
    }

    /// `history`: two factors, every status.
    func history(_ request: PhoneRequest) async throws -> [PhoneOperation] {
        let signed = try DecideByPhone.signed(request, uriID: "/operation/history")
        let outcome = try await database.atomically { transaction in
            try await signatures.check(
                signed, allowing: DecideByPhone.twoFactors, origin: request.origin, in: transaction)
        }
        guard case .right(let registration, _, _) = outcome else { throw OperationsRefusal.authenticationFailed }
        return try await store.history(for: registration, in: database)
    }

    /// Commits, announces what changed, then throws what was refused. Goes on when its task is cancelled: who gives up
    /// waiting for the answer to a wrong signature is counted all the same.
    private func settle(
        _ body: @escaping @Sendable (Transaction) async throws -> Decisions.Settled
    ) async throws {
        let settled = try await Task { try await database.atomically(body) }.value
        if let step = settled.refusedLogin { metrics.login(["operations"], outcome: step.rawValue) }
        if let changed = settled.changed {
            await changes.announce(changed.id, in: database)
            await decisions.wake(in: database)
        }
        if let refusal = settled.refusal { throw refusal }
    }

    private static func signed(_ request: PhoneRequest, uriID: String) throws -> SignedRequest {
        do {
            return SignedRequest(
                method: "POST", uriID: uriID, body: request.body,
                header: try SignatureHeader(parsing: request.authorization, versions: SignatureCheck.versions))
        } catch {
            throw OperationsRefusal.authenticationFailed
        }
    }
}
