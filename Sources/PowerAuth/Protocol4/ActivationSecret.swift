import Base

/// KEY_ACTIVATION_SECRET, which phone and server of protocol 4 share, and what is derived from it
/// (protocols/powerauth4.md). The factor keys are those of the beginning: a changed PIN and an added biometry have keys
/// of their own, which the server keeps (`SharedSecretRequest.answer`).
public struct ActivationSecret: Sendable {
    public let possession: SecretBytes
    public let knowledge: SecretBytes
    public let biometry: SecretBytes
    /// For `HashCounter.mac`.
    public let counterMAC: SecretBytes
    /// For `ActivationStatus`.
    public let statusMAC: SecretBytes
    /// For `TemporarySecretRequest` in activation scope.
    public let temporaryKeyMAC: SecretBytes
    /// For offline codes that are for one registration.
    public let personalizedData: SecretBytes
    /// For `EnvelopeContext` in activation scope.
    public let sharedInfo2: SecretBytes
    /// What `/pa/v4/vault/unlock` gives, each by its name.
    public let vaultKeys: [VaultKey: SecretBytes]

    /// `keyMalformed` unless it has 32 bytes.
    public init(_ secret: SecretBytes) throws(PowerAuthRefusal) {
        guard secret.count == 32 else { throw .keyMalformed }
        let authentication = try LabeledKey.derive(secret, .authentication)
        possession = try LabeledKey.derive(authentication, .possession)
        knowledge = try LabeledKey.derive(authentication, .knowledge)
        biometry = try LabeledKey.derive(authentication, .biometry)
        let utility = try LabeledKey.derive(secret, .utility)
        counterMAC = try LabeledKey.derive(utility, .counterMAC)
        statusMAC = try LabeledKey.derive(utility, .statusMAC)
        temporaryKeyMAC = try LabeledKey.derive(utility, .activationTemporaryKey)
        personalizedData = try LabeledKey.derive(utility, .personalizedData)
        sharedInfo2 = try LabeledKey.derive(utility, .sharedInfo2)
        let vault = try LabeledKey.derive(secret, .vault)
        vaultKeys = [
            .devicePrivate: try LabeledKey.derive(vault, .devicePrivate),
            .applicationKnowledge: try LabeledKey.derive(vault, .applicationVaultKnowledge),
            .application2FA: try LabeledKey.derive(vault, .applicationVault2FA),
        ]
    }

    /// In the order in which a code has its components.
    public func keys(_ type: FactorType) -> [SecretBytes] {
        type.factors.map { factor in
            switch factor {
            case .possession: possession
            case .knowledge: knowledge
            case .biometry: biometry
            }
        }
    }
}

/// `keyIdentifier` of `/pa/v4/vault/unlock`.
public enum VaultKey: String, Sendable, CaseIterable {
    case devicePrivate = "KEK_DEVICE_PRIVATE"
    case applicationKnowledge = "KDK_APP_VAULT_KNOWLEDGE"
    case application2FA = "KDK_APP_VAULT_2FA"
}
