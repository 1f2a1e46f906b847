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

    public init(method: String = "POST", uriID: String, body: [UInt8], header: SignatureHeader) {
        (self.method, self.uriID, self.body, self.header) = (method, uriID, body, header)
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
        if let refusal = SignatureCheck.unusable(held, in: version.applicationID) {
            return try await refuse(refusal, request, held, origin, in: transaction)
        }
        guard let registration = held, let exchange = registration.exchange else {
            return try await refuse(.activationUnknown, request, nil, origin, in: transaction)
        }

        let activation = try keys.keys(of: registration)
        let data = FactorSignature.data(
            method: request.method, uriID: request.uriID, nonce: header.nonce, body: request.body,
            secret: version.secretText)
        let match = FactorSignature.find(
            header.signature, header.version, keys: activation.keys(header.type), counter: exchange.counter,
            lookAhead: registration.lookAhead, data: data)
        if let match {
            let moved = try await registrations.advance(
                registration, to: match, resetting: header.type.needsTwo, in: transaction)
            return .right(moved, header.type, header.version)
        }
        guard header.type.isCounted,
            SignatureCheck.isOfTheDevice(header, activation, exchange.counter, registration.lookAhead, data)
        else {
            return try await refuse(.signatureMismatch, request, registration, origin, in: transaction)
        }
        let struck = try await strike(
            registration, .signatureMismatch, origin: origin, ["factor": .string(header.type.rawValue)], in: transaction
        )
        return .wrong(.signatureMismatch, struck)
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
        let match: FactorSignature.Match
    }

    /// Counters that a glance looks at. What is wrong is looked at again by `check`, and so costs little more.
    private static let glanced = 2

    /// Of a row that `RegistrationStore.signing` gave for this header. It touches nothing: whoever moves the counter by
    /// it asks under the row's lock whether the row is that still. `nil` says no more than that `check` has to tell.
    func glance(_ request: SignedRequest, allowing: Set<FactorType>, at row: Row) throws -> Glance? {
        let header = request.header, registration = try PhoneRegistration(row, at: trail.clock.now())
        guard allowing.contains(header.type), header.type.factors.first == .possession,
            registration.state == .active, let exchange = registration.exchange
        else { return nil }
        let data = FactorSignature.data(
            method: request.method, uriID: request.uriID, nonce: header.nonce, body: request.body,
            secret: try applications.opened(row).secretText)
        let match = FactorSignature.find(
            header.signature, header.version, keys: try keys.keys(of: registration).keys(header.type),
            counter: exchange.counter, lookAhead: min(registration.lookAhead, SignatureCheck.glanced), data: data)
        return try match.map { Glance(registration: registration, rowVersion: try row("row_version"), match: $0) }
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

    /// Whether the first component, which the device's key alone makes, is right at some counter of the window. The
    /// groups of Base64 are 16 bytes.
    private static func isOfTheDevice(
        _ header: SignatureHeader, _ keys: ActivationKeys, _ counter: HashCounter, _ lookAhead: Int, _ data: [UInt8]
    ) -> Bool {
        guard let bytes = Base64Text.decode(header.signature), bytes.count == 16 * header.type.factors.count else {
            return false
        }
        let first = Base64Text.encode(bytes.prefix(16))
        return FactorSignature.find(
            first, header.version, keys: [keys.possession], counter: counter, lookAhead: lookAhead, data: data) != nil
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
}
