import Base
import Database
import PowerAuth
import TokenTree

/// The signed endpoints of `/pa/v4` (docs/operations.md, "PowerAuth 4"). Each does what its like of protocol 3 does
/// (`SignedActions`); what protocol 4 has beside them is here alone.
struct SignedActionsFour: Sendable {
    let parts: PowerAuthServices
    let registrations: RegistrationService

    /// The phone has made its PIN. Until then its registration does nothing; committed it may be before or after.
    func confirm(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let body = try? RequestObject.read(request.body)
        let enables = body?["enableBiometry"]?.bool == true
        return try await SignedEndpoint.four(
            "/pa/activation/confirm", allowing: [.possessionKnowledge], standing: .confirming
        ).run(request, parts) { signed, transaction in
            guard !signed.registration.isConfirmed else { return .ok() }
            let now = parts.clock.now()
            _ = try await parts.registrations.update(
                signed.registration, "confirmed_at = \(now), is_biometric = \(enables)", in: transaction)
            try await audit("operations.registration.confirm", signed, request, biometry: enables, in: transaction)
            return .ok()
        }
    }

    func validate(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint.four("/pa/auth/validate", allowing: SignedEndpoint.anyFactor).run(request, parts) {
            _, _ in .ok()
        }
    }

    /// Also of one that was never confirmed.
    func removeActivation(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint.four(
            "/pa/activation/remove", allowing: SignedEndpoint.anyFactor, standing: .confirming
        ).run(request, parts) { signed, transaction in
            let actor = OperationsAudit.phone(signed.registration.id, origin: request.origin)
            _ = try await registrations.remove(signed.registration, by: actor, in: transaction)
            return .ok(["activationId": .string(signed.registration.id)])
        }
    }

    func createToken(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint.four("/pa/token/create", allowing: SignedEndpoint.anyFactor)
        return try await endpoint.run(request, parts, opening: .tokenCreate) { signed, _, transaction in
            let made = try await parts.tokenRows.make(for: signed.registration, factor: signed.factor, in: transaction)
            return .done(
                FourAnswer.inBothShapes([
                    "tokenId": .string(made.id), "tokenSecret": .string(made.secret.expose { Base64Text.encode($0) }),
                ]))
        }
    }

    func removeToken(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint.four("/pa/token/remove", allowing: SignedEndpoint.anyFactor).run(request, parts) {
            signed, transaction in
            guard let object = try? RequestObject.read(request.body), let id = object["tokenId"]?.string else {
                return PowerAuthError.request.answer
            }
            try await parts.tokenRows.remove(id, of: signed.registration, in: transaction)
            return .ok(["tokenId": .string(id)])
        }
    }

    /// Knowledge opens all of it; biometry only the key that is for any two factors.
    func unlockVault(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint.four(
            "/pa/vault/unlock", allowing: [.possessionKnowledge, .possessionBiometry])
        return try await endpoint.run(request, parts, opening: .vaultUnlock) { signed, opened, transaction in
            let json = try? opened.json()
            guard let name = VaultKey(rawValue: json?["keyIdentifier"]?.string ?? "") else {
                return .refused(PhoneRefusal(error: .secureVault, step: .bodyMalformed, about: signed.registration))
            }
            guard signed.factor == .possessionKnowledge || name == .application2FA else {
                return .refused(
                    PhoneRefusal(error: .secureVault, step: .factorNotAllowed, about: signed.registration))
            }
            guard let key = try parts.keys.agreed(of: signed.registration).activation.vaultKeys[name] else {
                return .refused(PhoneRefusal(error: .secureVault, step: .keyMalformed, about: signed.registration))
            }
            let said = json?["reason"]?.string ?? "",
                reason = SignedActions.vaultReasons.contains(said) ? said : "NOT_SPECIFIED"
            try await OperationsAudit.write(
                "operations.vault", OperationsAudit.phone(signed.registration.id, origin: request.origin),
                about: OperationsAudit.node(signed.registration.id),
                ["reason": .string(reason), "key": .string(name.rawValue)], at: parts.clock.now(), in: transaction)
            return .done(["vaultEncryptionKey": .string(key.expose { Base64Text.encode($0) })])
        }
    }

    private func audit(
        _ action: String, _ signed: SignedEndpoint.Signed, _ request: PowerAuthRequest, biometry: Bool,
        in transaction: any SQLExecutor
    ) async throws {
        try await OperationsAudit.write(
            action, OperationsAudit.phone(signed.registration.id, origin: request.origin),
            about: OperationsAudit.node(signed.registration.id), ["biometry": .bool(biometry)],
            at: parts.clock.now(), in: transaction)
    }
}
