import Base
import Database
import PowerAuth
import TokenTree

/// The signed endpoints of `/pa` (protocols/operations.md, 4.9 and 4.10).
struct SignedActions: Sendable {
    /// What the phone may say it wants the vault's key for; anything else counts as NOT_SPECIFIED.
    static let vaultReasons: Set<String> = [
        "ADD_BIOMETRY", "FETCH_ENCRYPTION_KEY", "SIGN_WITH_DEVICE_PRIVATE_KEY", "RECOVERY_CODE", "NOT_SPECIFIED",
    ]

    let parts: PowerAuthServices
    let registrations: RegistrationService

    /// The app asks whether a PIN is right, and does nothing with it.
    func validate(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint(uriID: "/pa/signature/validate", allowing: SignedEndpoint.anyFactor).run(
            request, parts
        ) { _, _ in .ok() }
    }

    func removeActivation(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint(uriID: "/pa/activation/remove", allowing: SignedEndpoint.anyFactor).run(request, parts)
        { signed, transaction in
            let actor = OperationsAudit.phone(signed.registration.id, origin: request.origin)
            _ = try await registrations.remove(signed.registration, by: actor, in: transaction)
            return .ok()
        }
    }

    func createToken(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint(uriID: "/pa/token/create", allowing: SignedEndpoint.anyFactor)
        return try await endpoint.run(request, parts, opening: .tokenCreate) { signed, _, transaction in
            let made = try await parts.tokenRows.make(for: signed.registration, factor: signed.factor, in: transaction)
            return ["tokenId": .string(made.id), "tokenSecret": .string(made.secret.expose { Base64Text.encode($0) })]
        }
    }

    func removeToken(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        try await SignedEndpoint(uriID: "/pa/token/remove", allowing: SignedEndpoint.anyFactor).run(request, parts) {
            signed, transaction in
            guard let object = try? RequestObject.read(request.body), let id = object["tokenId"]?.string else {
                return PowerAuthError.request.answer
            }
            try await parts.tokenRows.remove(id, of: signed.registration, in: transaction)
            return .ok()
        }
    }

    /// Knowledge alone opens it: with the vault's key a phone adds biometry and signs with its own key.
    func unlockVault(_ request: PowerAuthRequest) async throws -> PowerAuthAnswer {
        let endpoint = SignedEndpoint(uriID: "/pa/vault/unlock", allowing: [.possessionKnowledge])
        return try await endpoint.run(request, parts, opening: .vaultUnlock) { signed, opened, transaction in
            let said = (try? JSONReader.read(opened.plaintext, depth: 4))?["reason"]?.string ?? ""
            let reason = SignedActions.vaultReasons.contains(said) ? said : "NOT_SPECIFIED"
            let key = try parts.keys.keys(of: signed.registration).encryptedVaultKey()
            try await OperationsAudit.write(
                "operations.vault", OperationsAudit.phone(signed.registration.id, origin: request.origin),
                about: OperationsAudit.node(signed.registration.id), ["reason": .string(reason)], at: parts.clock.now(),
                in: transaction)
            return ["encryptedVaultEncryptionKey": .string(Base64Text.encode(key))]
        }
    }
}
