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

    init(vault: SealedColumns) { self.vault = vault }

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
