import Base
import Database
import PowerAuth

/// What a key exchange of protocol 4 has made: stored at once for an activation, and kept apart until the phone
/// confirms it for an upgrade.
struct NewAgreement: Sendable {
    let device: HybridPublicKey
    let server: HybridKeyPair
    let secrets: RegistrationSecrets
    let counter: HashCounter
    let isBiometric: Bool

    var algorithm: SharedSecretAlgorithm { device.algorithm }

    /// Answers the phone's request.
    static func make(
        answering request: KeyExchangeRequest, _ randomness: Randomness
    ) throws(PowerAuthRefusal) -> (NewAgreement, KeyExchangeResponse) {
        let server = try HybridKeyPair.fresh(request.sharedSecret.algorithm)
        let (response, secret) = try request.sharedSecret.answer(randomness)
        let made = NewAgreement(
            device: request.deviceKeys, server: server, secrets: RegistrationSecrets(activation: secret),
            counter: try HashCounter(randomness.bytes(32)), isBiometric: request.enablesBiometry)
        return (
            made,
            KeyExchangeResponse(sharedSecret: response, serverKeys: server.publicKey, counter: made.counter)
        )
    }

    private init(
        device: HybridPublicKey, server: HybridKeyPair, secrets: RegistrationSecrets, counter: HashCounter,
        isBiometric: Bool
    ) {
        (self.device, self.server, self.secrets) = (device, server, secrets)
        (self.counter, self.isBiometric) = (counter, isBiometric)
    }

    /// The `set` list that puts it into its row. `next` is the counter to expect.
    func columns(
        of id: String, next: HashCounter, counterByte: Int, vault: SealedColumns
    ) throws -> SQL {
        let own = try vault.seal(server.privateBytes, .serverPrivate, of: id),
            sealed = try vault.seal(secrets.bytes, .registrationSecrets, of: id)
        return """
            protocol = '4.0', algorithm = \(algorithm.rawValue), device_key = \(device.ecdsa),
                device_mldsa = \(device.mldsa), server_public = \(server.publicKey.ecdsa),
                server_mldsa = \(server.publicKey.mldsa), server_private = \(own.bytes), server_sealed_by = \(own.by),
                secrets = \(sealed.bytes), secrets_sealed_by = \(sealed.by), ctr_data = \(next.bytes),
                ctr_byte = \(counterByte), is_biometric = \(isBiometric)
            """
    }

    // MARK: Until an upgrade is confirmed

    /// All of it, to be sealed for its row.
    var sealable: SecretBytes {
        let members: JSONObject = [
            "algorithm": .string(algorithm.rawValue), "device": device.json,
            "server": .string(server.privateBytes.expose { Base64Text.encode($0) }),
            "secrets": .string(secrets.bytes.expose { Base64Text.encode($0) }),
            "counter": .string(Base64Text.encode(counter.bytes)), "biometric": .bool(isBiometric),
        ]
        return SecretBytes(JSONValue.object(members).bytes)
    }

    /// From what `sealable` wrote.
    init(_ opened: SecretBytes) throws(PowerAuthRefusal) {
        guard let json = opened.expose({ try? JSONReader.read(Array($0), depth: 4) }),
            let algorithm = SharedSecretAlgorithm(rawValue: json["algorithm"]?.string ?? ""),
            let device = json["device"], let server = Base64Text.decode(json["server"]?.string ?? ""),
            let secrets = Base64Text.decode(json["secrets"]?.string ?? ""),
            let counter = Base64Text.decode(json["counter"]?.string ?? "", count: 32)
        else { throw .keyMalformed }
        self.init(
            device: try HybridPublicKey(algorithm, json: device),
            server: try HybridKeyPair(algorithm, privateBytes: SecretBytes(server)),
            secrets: try RegistrationSecrets(SecretBytes(secrets)), counter: try HashCounter(counter),
            isBiometric: json["biometric"]?.bool ?? false)
    }
}
