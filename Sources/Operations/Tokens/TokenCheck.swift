import Base
import Database
import Foundation
import PowerAuth
import TokenTree

public enum TokenOutcome: Sendable {
    /// The factors are those of the signature that made the token.
    case right(PhoneRegistration, FactorType)
    case wrong(PowerAuthRefusal)
}

/// Token headers: they read, and never approve (protocols/operations.md, 4.9; decisions.md, operations 5). Nothing is
/// counted: there is nothing to guess.
struct TokenCheck: Sendable {
    /// Either way, in seconds. A header is remembered as long as its time would be admitted.
    static let window = 300
    static let namespace = "operations token"
    /// Of a header; it must be of the registration's protocol.
    static let versions = PowerAuthVersion.ofTokens.union(PowerAuthVersion.ofProtocol4)

    let clock: WallClock
    let vault: SealedColumns
    let oneTime: OneTimeStore
    let trail: RefusalTrail

    func check(_ header: TokenHeader, origin: String? = nil, in executor: any SQLExecutor) async throws -> TokenOutcome
    {
        let now = clock.now(), rows = try await executor.query(TokenCheck.named(header.tokenID))
        return try await check(header, rows.first, at: now, origin, in: executor)
    }

    /// As above, with the rows of `question`, which is asked in the same round trip; none unless the token is right.
    func check(
        _ header: TokenHeader, asking question: SQL, origin: String?, in executor: any SQLExecutor
    ) async throws -> (TokenOutcome, [Row]) {
        let now = clock.now(), results = try await executor.batch([TokenCheck.named(header.tokenID), question])
        let outcome = try await check(header, results[0].first, at: now, origin, in: executor)
        if case .right = outcome { return (outcome, results[1]) }
        return (outcome, [])
    }

    private static func named(_ id: String) -> SQL {
        """
        select \(PhoneRegistration.columns), t.id as token, t.factor, t.secret, t.secret_sealed_by
        from phone_token t join phone_registration r on r.id = t.registration
            join phone_application p on p.id = r.application where t.id = \(id)
        """
    }

    private func check(
        _ header: TokenHeader, _ row: Row?, at now: Date, _ origin: String?, in executor: any SQLExecutor
    ) async throws -> TokenOutcome {
        guard let row, let sealed = try Sealed(row, "secret", by: "secret_sealed_by"),
            let factor = FactorType(rawValue: try row("factor"))
        else {
            return try await refuse(.tokenUnknown, nil, origin, in: executor)
        }
        let registration = try PhoneRegistration(row, at: now)
        guard header.version.isProtocol4 == (registration.protocolVersion == .four) else {
            return try await refuse(.versionUnsupported, registration, origin, in: executor)
        }
        do { try header.checkTime(now, within: TokenCheck.window) } catch {
            return try await refuse(error, registration, origin, in: executor)
        }
        guard TokenDigest.verify(header, secret: try vault.open(sealed, .tokenSecret, of: header.tokenID)) else {
            return try await refuse(.tokenDigestMismatch, registration, origin, in: executor)
        }
        if let refusal = SignatureCheck.unusable(registration, in: registration.applicationID) {
            return try await refuse(refusal, registration, origin, in: executor)
        }
        // Only what the digest vouches for is remembered, so that nobody can use up the nonces of another. Until one
        // moment for all of ten minutes: the store tells names apart by their ends too, and a nonce is used up whatever
        // time it is shown with.
        let last = Milliseconds.date(header.timestamp).timeIntervalSince1970 + TimeInterval(TokenCheck.window + 60)
        let until = Date(timeIntervalSince1970: (last / 600).rounded(.up) * 600)
        let name = "\(header.tokenID) \(Base64Text.encode(header.nonce))"
        guard
            try await oneTime.claim(
                name, namespace: TokenCheck.namespace, expires: until, in: executor is Database ? nil : executor)
        else {
            return try await refuse(.replay, registration, origin, in: executor)
        }
        return .right(registration, factor)
    }

    private func refuse(
        _ refusal: PowerAuthRefusal, _ registration: PhoneRegistration?, _ origin: String?, in executor: any SQLExecutor
    ) async throws -> TokenOutcome {
        try await trail.write(refusal, of: .token, registration, origin: origin, in: executor)
        return .wrong(refusal)
    }
}
