import Base
import Database
import PowerAuth
import TokenTree

/// A request as its signature covers it.
public struct SignedRequest: Sendable {
    public let method: String
    public let uriID: String
    /// Exactly what was received.
    public let body: [UInt8]
    public let header: SignatureHeader
    /// Which standing of its registration it is for.
    let standing: Standing

    /// A signature is for a registration in use, but for the two that bring one into use.
    enum Standing: Sendable {
        case inUse
        /// Protocol 4, committed or not, and confirmed or not: the answer to a confirmation may have been lost.
        case confirming
        /// Protocol 3, made with what an upgrade to 4 has exchanged.
        case upgrading
    }

    public init(method: String = "POST", uriID: String, body: [UInt8], header: SignatureHeader) {
        self.init(method: method, uriID: uriID, body: body, header: header, standing: .inUse)
    }

    init(method: String = "POST", uriID: String, body: [UInt8], header: SignatureHeader, standing: Standing) {
        (self.method, self.uriID, self.body, self.header) = (method, uriID, body, header)
        self.standing = standing
    }
}

public enum SignatureOutcome: Sendable {
    /// The registration as it is with its counter moved.
    case right(PhoneRegistration, FactorType, PowerAuthVersion)
    /// The registration is given only when the phone itself has been wrong, that is when it has shown that it has the
    /// device's key: only then may anything be counted, here or elsewhere. It is as it is after that.
    case wrong(PowerAuthRefusal, PhoneRegistration?)
}

/// Signatures of requests and offline codes (protocols/operations.md, 4.8 and 2.4). A check and the move of the counter
/// are one transaction under the row's lock: of 50 requests with one counter, one is right. A refusal is returned, not
/// thrown, so that its count is committed.
///
/// Departure on purpose: the possession part of a signature is looked at by itself. A wrong PIN counts when it was made
/// on the phone; who knows no more than the activation id cannot block it. Nobody without the device's key could get in
/// by trying, so nothing is lost.
struct SignatureCheck: Sendable {
    /// Of a header under `/api`, where phones of either protocol speak.
    static let versions = PowerAuthVersion.ofSignatures.union(PowerAuthVersion.ofProtocol4)

    let registrations: RegistrationStore
    let applications: ApplicationStore
    let keys: RegistrationKeys
    let events: RegistrationEvents
    let trail: RefusalTrail

    /// `origin` is where it came from, for the audit.
    func check(
        _ request: SignedRequest, allowing: Set<FactorType>, origin: String? = nil, in transaction: any SQLExecutor
    ) async throws -> SignatureOutcome {
        let header = request.header
        // Nothing is touched for what cannot be right here; the counter of such a signature is bridged by the next.
        guard allowing.contains(header.type), header.type.factors.first == .possession else {
            return try await refuse(.factorNotAllowed, request, nil, origin, in: transaction)
        }
        let version: ApplicationVersion
        do { version = try await applications.usable(header.applicationKey, in: transaction) } catch let refusal
            as PowerAuthRefusal
        {
            return try await refuse(refusal, request, nil, origin, in: transaction)
        }
        let held = try await hold(header.activationID, in: transaction)
        if let refusal = SignatureCheck.unusable(held, in: version.applicationID, for: request) {
            return try await refuse(refusal, request, held, origin, in: transaction)
        }
        guard let registration = held else {
            return try await refuse(.activationUnknown, request, nil, origin, in: transaction)
        }

        let signing: SigningState
        do { signing = try SigningState(of: registration, for: request, keys: keys) } catch let refusal
            as PowerAuthRefusal
        {
            return try await refuse(refusal, request, held, origin, in: transaction)
        }
        let data = SignatureCheck.data(of: request, version)
        if let move = try signing.find(header.signature, header, lookAhead: registration.lookAhead, data: data) {
            let moved = try await settle(move, registration, request, in: transaction)
            return .right(moved, header.type, header.version)
        }
        guard header.type.isCounted,
            signing.isOfTheDevice(header, lookAhead: registration.lookAhead, data: data)
        else {
            return try await refuse(.signatureMismatch, request, registration, origin, in: transaction)
        }
        let struck = try await strike(
            registration, .signatureMismatch, origin: origin, ["factor": .string(header.type.rawValue)], in: transaction
        )
        return .wrong(.signatureMismatch, struck)
    }

    private static func data(of request: SignedRequest, _ version: ApplicationVersion) -> [UInt8] {
        FactorSignature.data(
            method: request.method, uriID: request.uriID, nonce: request.header.nonce, body: request.body,
            secret: version.secretText)
    }

    /// Moves the counter. That of an upgrade is not in its row yet: who confirms one stores it with the rest.
    private func settle(
        _ move: CounterMove, _ registration: PhoneRegistration, _ request: SignedRequest,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        guard request.standing == .upgrading else {
            return try await registrations.advance(
                registration, to: move, resetting: request.header.type.needsTwo, in: transaction)
        }
        let agreement = try keys.pending(of: registration)
        let columns = try agreement.columns(
            of: registration.id, next: try HashCounter(move.next), counterByte: move.steps % 256, vault: keys.vault)
        let now = trail.clock.now()
        return try await registrations.update(
            registration,
            """
            \(columns), upgrade = null, upgrade_sealed_by = null, confirmed_at = \(now), last_used_at = \(now)
            """, in: transaction)
    }

    /// Locked until the transaction ends; a block that is over is written to be.
    func hold(_ id: String, in transaction: any SQLExecutor) async throws -> PhoneRegistration? {
        guard let held = try await registrations.hold(id, in: transaction) else { return nil }
        guard held.isBlockOver else { return held }
        return try await BlockEnds(registrations: registrations, events: events, clock: trail.clock)
            .lift(held, in: transaction)
    }

    /// A signature that was right for a registration as it was read, without its lock.
    struct Glance: Sendable {
        let registration: PhoneRegistration
        /// Another after each change of the row.
        let rowVersion: String
        let move: CounterMove
    }

    /// Counters that a glance looks at. What is wrong is looked at again by `check`, and so costs little more.
    private static let glanced = 2

    /// Of a row that `RegistrationStore.signing` gave for this header. It touches nothing: whoever moves the counter by
    /// it asks under the row's lock whether the row is that still. `nil` says no more than that `check` has to tell.
    func glance(_ request: SignedRequest, allowing: Set<FactorType>, at row: Row) throws -> Glance? {
        let header = request.header, registration = try PhoneRegistration(row, at: trail.clock.now())
        guard allowing.contains(header.type), header.type.factors.first == .possession,
            registration.state == .active, registration.isConfirmed,
            let signing = try? SigningState(of: registration, for: request, keys: keys)
        else { return nil }
        let data = SignatureCheck.data(of: request, try applications.opened(row))
        let move = try signing.find(
            header.signature, header, lookAhead: min(registration.lookAhead, SignatureCheck.glanced), data: data)
        return try move.map { Glance(registration: registration, rowVersion: try row("row_version"), move: $0) }
    }

    /// Why a registration can sign nothing for this application; `nil` when it can. One that belongs to another
    /// application is as good as unknown.
    static func unusable(_ registration: PhoneRegistration?, in application: String) -> PowerAuthRefusal? {
        guard let registration else { return .activationUnknown }
        guard registration.applicationID == application else { return .activationOfOtherApplication }
        switch registration.state {
        case .created, .pendingCommit: return .activationNotActive
        case .blocked: return .activationBlocked
        case .removed: return .activationRemoved
        case .active: return nil
        }
    }

    /// As above, for a request that may be one to bring it into use.
    static func unusable(
        _ registration: PhoneRegistration?, in application: String, for request: SignedRequest
    ) -> PowerAuthRefusal? {
        let refusal = unusable(registration, in: application)
        guard request.standing == .confirming else { return refusal ?? unconfirmed(registration) }
        return refusal == .activationNotActive && registration?.state == .pendingCommit ? nil : refusal
    }

    /// What a phone does before it has confirmed its registration of protocol 4.
    static func unconfirmed(_ registration: PhoneRegistration?) -> PowerAuthRefusal? {
        registration?.isConfirmed == false ? .activationUnconfirmed : nil
    }

    /// A registration of protocol 4 that may at least ask how it stands, or the step that refuses.
    static func answering(
        _ registration: PhoneRegistration?, in application: String
    ) throws(PowerAuthRefusal) -> PhoneRegistration {
        let refusal = unusable(registration, in: application)
        guard let registration else { throw .activationUnknown }
        guard refusal == nil || refusal == .activationBlocked || registration.state == .pendingCommit else {
            throw refusal ?? .activationUnknown
        }
        return registration
    }

    /// `found` is the registration that was named, for the audit; it is not told to the caller.
    private func refuse(
        _ refusal: PowerAuthRefusal, _ request: SignedRequest, _ found: PhoneRegistration?, _ origin: String?,
        in transaction: any SQLExecutor
    ) async throws -> SignatureOutcome {
        let detail: JSONObject = ["uri": .string(request.uriID), "factor": .string(request.header.type.rawValue)]
        try await trail.write(refusal, of: .signature, found, origin: origin, detail, in: transaction)
        return .wrong(refusal, nil)
    }

    func strike(
        _ registration: PhoneRegistration, _ refusal: PowerAuthRefusal, origin: String?, _ detail: JSONObject,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let struck = try await registrations.strike(registration, in: transaction)
        var detail = detail
        detail["failed"] = .integer(struck.failed)
        try await trail.write(refusal, of: .signature, struck, origin: origin, detail, always: true, in: transaction)
        try await events.tell(RegistrationEvent(kind: .failedAttempt, registration: struck), transaction)
        if struck.state == .pendingCommit, struck.failed >= struck.maximumFailed {
            return try await removeUnconfirmed(struck, origin: origin, in: transaction)
        }
        guard struck.state == .blocked else { return struck }
        try await OperationsAudit.write(
            "operations.registration.block", OperationsAudit.phone(struck.id, origin: origin),
            about: OperationsAudit.node(struck.id),
            outcome: "attempts",
            struck.blockedUntil.map { ["until": .string($0.rfc3339)] } ?? [:], at: trail.clock.now(),
            in: transaction)
        try await events.tell(RegistrationEvent(kind: .blocked, registration: struck), transaction)
        return struck
    }

    /// Nobody unblocks what was never committed.
    private func removeUnconfirmed(
        _ registration: PhoneRegistration, origin: String?, in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let removed = try await registrations.remove(registration, in: transaction)
        try await OperationsAudit.write(
            "operations.registration.remove", OperationsAudit.phone(removed.id, origin: origin),
            about: OperationsAudit.node(removed.id), outcome: "attempts", at: trail.clock.now(), in: transaction)
        try await events.tell(RegistrationEvent(kind: .removed, registration: removed), transaction)
        return removed
    }
}
