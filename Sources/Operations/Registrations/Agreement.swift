import Base
import Database
import PowerAuth

/// What a phone and this server agreed upon in protocol 4, as its row has it.
struct Agreement: Sendable {
    let algorithm: SharedSecretAlgorithm
    let device: HybridPublicKey
    let server: HybridPublicKey
    /// As `HybridKeyPair.privateBytes` writes it.
    let serverPrivate: Sealed
    /// `RegistrationSecrets`.
    let secrets: Sealed
    let counter: HashCounter
    let counterByte: Int

    /// `nil` before the key exchange.
    init?(_ row: Row) throws {
        let device: [UInt8]? = try row("device_key"), server: [UInt8]? = try row("server_public"),
            counter: [UInt8]? = try row("ctr_data"), name: String = try row("algorithm")
        guard let device, let server, let counter, let algorithm = SharedSecretAlgorithm(rawValue: name),
            let own = try Sealed(row, "server_private", by: "server_sealed_by"),
            let secrets = try Sealed(row, "secrets", by: "secrets_sealed_by")
        else { return nil }
        self.algorithm = algorithm
        self.device = try HybridPublicKey(algorithm, ecdsa: device, mldsa: try row("device_mldsa"))
        self.server = try HybridPublicKey(algorithm, ecdsa: server, mldsa: try row("server_mldsa"))
        (serverPrivate, self.secrets) = (own, secrets)
        self.counter = try HashCounter(counter)
        counterByte = try row("ctr_byte")
    }
}
