import Base
import PowerAuth

/// Opens what a registration's row has sealed.
struct RegistrationKeys: Sendable {
    /// All that the keys are computed from.
    private struct Origin: Hashable {
        let registration: String
        let serverPrivate: [UInt8]
        let sealedBy: String
        let devicePublicKey: [UInt8]
    }

    let vault: SealedColumns
    /// Agreeing is nearly all that checking a signature costs.
    private let known = BoundedMemory<Origin, ActivationKeys>(most: 4_000)

    private struct Agreed: Hashable {
        let registration: String
        let secrets: [UInt8]
        let sealedBy: String
    }

    /// Of protocol 4, where deriving is all that an envelope or a code costs.
    private let agreed = BoundedMemory<Agreed, AgreedKeys>(most: 4_000)

    init(vault: SealedColumns) { self.vault = vault }

    /// Those of protocol 4, by the same rules as `keys`; of one that upgrades, those that its upgrade has exchanged.
    /// `versionUnsupported` for one that has none.
    func agreed(of registration: PhoneRegistration) throws -> AgreedKeys {
        guard let agreement = registration.agreement else {
            guard registration.upgrade != nil else { throw PowerAuthRefusal.versionUnsupported }
            return try AgreedKeys(try pending(of: registration).secrets)
        }
        let origin = Agreed(
            registration: registration.id, secrets: agreement.secrets.bytes, sealedBy: agreement.secrets.by)
        if registration.state == .removed { agreed[origin] = nil }
        if let keys = agreed[origin] { return keys }
        let keys = try AgreedKeys(
            try RegistrationSecrets(try vault.open(agreement.secrets, .registrationSecrets, of: registration.id)))
        if registration.state != .removed { agreed[origin] = keys }
        return keys
    }

    /// What the server signs with for this registration in protocol 4.
    func signer(of registration: PhoneRegistration) throws -> HybridKeyPair {
        guard let agreement = registration.agreement else {
            guard registration.upgrade != nil else { throw PowerAuthRefusal.versionUnsupported }
            return try pending(of: registration).server
        }
        return try HybridKeyPair(
            agreement.algorithm,
            privateBytes: try vault.open(agreement.serverPrivate, .serverPrivate, of: registration.id))
    }

    /// What an upgrade has exchanged and its phone not confirmed.
    func pending(of registration: PhoneRegistration) throws -> NewAgreement {
        guard let upgrade = registration.upgrade else { throw PowerAuthRefusal.upgradeUnknown }
        return try NewAgreement(try vault.open(upgrade, .upgrade, of: registration.id))
    }

    /// The server's pair of this registration: agrees with the phone, and signs temporary keys and offline codes (key
    /// type 1). `activationNotActive` before the key exchange.
    func pair(of registration: PhoneRegistration) throws -> PowerAuthKeyPair {
        guard let exchange = registration.exchange else { throw PowerAuthRefusal.activationNotActive }
        return try PowerAuthKeyPair(
            privateBytes: try vault.open(exchange.serverPrivate, .serverPrivate, of: registration.id))
    }

    /// Factor, transport and vault keys; those of the same row are computed once, as long as they are remembered.
    /// Asking for those of one that is removed forgets them.
    func keys(of registration: PhoneRegistration) throws -> ActivationKeys {
        guard let exchange = registration.exchange else { throw PowerAuthRefusal.activationNotActive }
        let origin = Origin(
            registration: registration.id, serverPrivate: exchange.serverPrivate.bytes,
            sealedBy: exchange.serverPrivate.by, devicePublicKey: exchange.devicePublicKey)
        if registration.state == .removed { known[origin] = nil }
        if let keys = known[origin] { return keys }
        let keys = try ActivationKeys(own: try pair(of: registration), peer: exchange.devicePublicKey)
        if registration.state != .removed { known[origin] = keys }
        return keys
    }
}
