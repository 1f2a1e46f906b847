import Base

/// `sharedSecretRequest`: a phone's keys, for which the server encapsulates secrets (protocols/powerauth4.md).
public struct SharedSecretRequest: Equatable, Sendable {
    public let algorithm: SharedSecretAlgorithm
    /// A point of P-384 (97 bytes, or 49), then for hybrids a key of ML-KEM in SubjectPublicKeyInfo.
    public let encapsulationKeys: [[UInt8]]

    /// `sharedSecretMalformed` for another number of keys than the algorithm has, `publicKeyMalformed` for a key that
    /// is none.
    public init(algorithm: SharedSecretAlgorithm, encapsulationKeys: [[UInt8]]) throws(PowerAuthRefusal) {
        guard encapsulationKeys.count == (algorithm.isHybrid ? 2 : 1) else { throw .sharedSecretMalformed }
        _ = try EllipticKEM.check(encapsulationKeys[0])
        if algorithm.isHybrid { try LatticeKEM.check(encapsulationKeys[1], algorithm) }
        self.algorithm = algorithm
        self.encapsulationKeys = encapsulationKeys
    }

    /// `algorithmUnsupported` for a suite that is none of ours, `sharedSecretMalformed` for what is no request.
    public init(json: JSONValue) throws(PowerAuthRefusal) {
        guard let name = json["algorithm"]?.string, let keys = json["encapsulationKeys"]?.array else {
            throw .sharedSecretMalformed
        }
        guard let algorithm = SharedSecretAlgorithm(rawValue: name) else { throw .algorithmUnsupported }
        try self.init(algorithm: algorithm, encapsulationKeys: SharedSecretResponse.bytes(keys))
    }

    public var json: JSONValue {
        [
            "algorithm": .string(algorithm.rawValue),
            "encapsulationKeys": .array(encapsulationKeys.map { .string(Base64Text.encode($0)) }),
        ]
    }

    /// The server's side: what goes back, and the secret of 32 bytes.
    public func answer(
        _ randomness: Randomness
    ) throws(PowerAuthRefusal) -> (response: SharedSecretResponse, secret: SecretBytes) {
        let elliptic = try EllipticKEM.encapsulate(encapsulationKeys[0])
        var secrets = [elliptic.secret], encapsulated = [elliptic.encapsulated]
        if algorithm.isHybrid {
            let lattice = try LatticeKEM.encapsulate(encapsulationKeys[1], algorithm)
            secrets.append(lattice.secret)
            encapsulated.append(lattice.encapsulated)
        }
        let response = try SharedSecretResponse(salt: randomness.bytes(32), encapsulatedKeys: encapsulated)
        return (response, try Self.combine(secrets, algorithm, salt: response.salt))
    }

    /// One step of NIST SP 800-56C with KMAC: the secrets with their lengths, then the suite and the version.
    static func combine(
        _ secrets: [SecretBytes], _ algorithm: SharedSecretAlgorithm, salt: [UInt8]
    ) throws(PowerAuthRefusal) -> SecretBytes {
        let joined = BigEndian.sized(secrets.map { $0.expose { $0 } })
        let info = BigEndian.sized([Array("shared-secret/\(algorithm.rawValue)".utf8), Array("4.0".utf8)])
        return SecretBytes(
            try KMAC256.mac(key: SecretBytes(salt), BigEndian.bytes(UInt32(1)) + joined + info, .sharedSecret))
    }
}

/// `sharedSecretResponse`.
public struct SharedSecretResponse: Equatable, Sendable {
    /// 32 bytes.
    public let salt: [UInt8]
    /// In the order of the request's keys.
    public let encapsulatedKeys: [[UInt8]]

    public init(salt: [UInt8], encapsulatedKeys: [[UInt8]]) throws(PowerAuthRefusal) {
        guard salt.count == 32, (1...2).contains(encapsulatedKeys.count) else { throw .sharedSecretMalformed }
        self.salt = salt
        self.encapsulatedKeys = encapsulatedKeys
    }

    public init(json: JSONValue) throws(PowerAuthRefusal) {
        guard let text = json["salt"]?.string, let salt = Base64Text.decode(text, count: 32),
            let keys = json["encapsulatedKeys"]?.array
        else { throw .sharedSecretMalformed }
        try self.init(salt: salt, encapsulatedKeys: Self.bytes(keys))
    }

    public var json: JSONValue {
        [
            "salt": .string(Base64Text.encode(salt)),
            "encapsulatedKeys": .array(encapsulatedKeys.map { .string(Base64Text.encode($0)) }),
        ]
    }

    /// Two at most, none above what ML-KEM-1024 has.
    static func bytes(_ keys: [JSONValue]) throws(PowerAuthRefusal) -> [[UInt8]] {
        guard (1...2).contains(keys.count) else { throw .sharedSecretMalformed }
        var decoded: [[UInt8]] = []
        for key in keys {
            guard let text = key.string, text.utf8.count <= 2200, let bytes = Base64Text.decode(text) else {
                throw .sharedSecretMalformed
            }
            decoded.append(bytes)
        }
        return decoded
    }
}
