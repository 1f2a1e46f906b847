import Base
import Database
import PowerAuth
import TokenTree

/// `upgrade/start` and `upgrade/confirm` of `/pa/v4` (docs/operations.md, "PowerAuth 4"): a registration of protocol 3
/// goes on as one of 4, with keys of its own. Until the phone confirms it, it is of protocol 3 in everything; a second
/// start takes the place of the first, whose answer may never have come.
struct UpgradePhone: Sendable {
    let parts: PowerAuthServices

    /// Signed in protocol 3 with the PIN, encrypted in protocol 4 in application scope.
    func start(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint(
            uriID: "/pa/upgrade/start", allowing: [.possessionKnowledge], versions: PowerAuthVersion.ofSignatures)
        return try await endpoint.run(request, parts, opening: .upgradeStart, inApplication: true) {
            signed, opened, transaction in
            let registration = signed.registration, asked: KeyExchangeRequest
            do {
                asked = try KeyExchangeRequest(json: try opened.json())
                try registration.choice.admit(asked.sharedSecret.algorithm)
            } catch let step as PowerAuthRefusal {
                return .refused(PhoneRefusal(error: .upgrade, step: step, about: registration))
            }
            let (made, response) = try NewAgreement.make(answering: asked, parts.randomness)
            let sealed = try parts.vault.seal(made.sealable, .upgrade, of: registration.id)
            _ = try await parts.registrations.update(
                registration, "upgrade = \(sealed.bytes), upgrade_sealed_by = \(sealed.by)", in: transaction)
            try await audit(registration, made.algorithm.rawValue, request, outcome: "started", in: transaction)
            return .done(.object(response.members))
        }
    }

    /// Signed in protocol 4, with what the start has exchanged: the check stores it.
    func confirm(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint.four(
            "/pa/upgrade/confirm", allowing: SignedEndpoint.anyFactor, standing: .upgrading
        ).run(request, parts) { signed, transaction in
            _ = try await transaction.execute(
                """
                delete from phone_temporary_key where registration = \(signed.registration.id) and protocol = '3.3'
                """)
            try await audit(
                signed.registration, signed.registration.algorithm, request, outcome: "done", in: transaction)
            return .ok()
        }
    }

    private func audit(
        _ registration: PhoneRegistration, _ algorithm: String, _ request: PowerAuthRequest, outcome: String,
        in transaction: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            "operations.registration.upgrade", OperationsAudit.phone(registration.id, origin: request.origin),
            about: OperationsAudit.node(registration.id), outcome: outcome, ["algorithm": .string(algorithm)],
            at: parts.clock.now(), in: transaction)
    }
}
