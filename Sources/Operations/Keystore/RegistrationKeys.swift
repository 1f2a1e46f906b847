import Base
import PowerAuth

/// Opens what a registration's row has sealed.
struct RegistrationKeys: Sendable {
    let vault: SealedColumns

    /// The server's pair of this registration: agrees with the phone, and signs temporary keys and offline codes (key
    /// type 1). `activationNotActive` before the key exchange.
    func pair(of registration: PhoneRegistration) throws -> PowerAuthKeyPair {
        guard let exchange = registration.exchange else { throw PowerAuthRefusal.activationNotActive }
        return try PowerAuthKeyPair(
            privateBytes: try vault.open(exchange.serverPrivate, .serverPrivate, of: registration.id))
    }

    /// Factor, transport and vault keys.
    func keys(of registration: PhoneRegistration) throws -> ActivationKeys {
        guard let exchange = registration.exchange else { throw PowerAuthRefusal.activationNotActive }
        return try ActivationKeys(own: try pair(of: registration), peer: exchange.devicePublicKey)
    }
}
