import Base
import Database
import PowerAuth

/// A code that a phone showed without a network, and a person typed (protocols/operations.md, 2.4).
struct OfflineSignature: Sendable {
    /// Two groups of eight digits with a dash.
    let code: String
    /// What is signed, with the word `offline` where an application's secret stands online.
    let data: [UInt8]
    /// Tried in this order.
    let types: [FactorType]
    let origin: String?
}

extension SignatureCheck {
    /// As `check`, for a code that the back office hands in. It speaks for its own users, so every wrong code counts,
    /// and the registration is always given unless it can sign nothing. `application` is that of the operation.
    func check(
        _ offline: OfflineSignature, of id: String, application: String, in transaction: any SQLExecutor
    ) async throws -> SignatureOutcome {
        let held = try await hold(id, in: transaction)
        let refusal = SignatureCheck.unusable(held, in: application) ?? SignatureCheck.unconfirmed(held)
        guard let registration = held, refusal == nil else {
            let refusal = refusal ?? .activationUnknown
            try await trail.write(
                refusal, of: .signature, held, origin: offline.origin, ["offline": true], in: transaction)
            return .wrong(refusal, nil)
        }
        let signing = try SigningState(of: registration, keys: keys)
        for type in offline.types where SigningState.takes(type, registration) {
            let move = try signing.find(
                typed: offline.code, type, lookAhead: registration.lookAhead, data: offline.data)
            guard let move else { continue }
            let moved = try await registrations.advance(
                registration, to: move, resetting: type.needsTwo, in: transaction)
            return .right(moved, type, signing.offlineVersion)
        }
        return .wrong(
            .signatureMismatch,
            try await strike(
                registration, .signatureMismatch, origin: offline.origin, ["offline": true], in: transaction))
    }
}
