import Base

/// The phone's side of a shared secret: the keys of which it sends the public halves (protocols/powerauth4.md).
public struct SharedSecretOffer: Sendable {
    public let request: SharedSecretRequest
    private let elliptic: EllipticKEM
    private let lattice: LatticeKEM?

    public static func fresh(_ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) -> SharedSecretOffer {
        try SharedSecretOffer(
            algorithm, elliptic: .fresh(), lattice: algorithm.isHybrid ? .fresh(algorithm) : nil)
    }

    /// `sharedSecretMalformed` unless there is a `lattice` exactly where the algorithm has one.
    init(
        _ algorithm: SharedSecretAlgorithm, elliptic: EllipticKEM, lattice: LatticeKEM?
    ) throws(PowerAuthRefusal) {
        guard algorithm.isHybrid == (lattice != nil) else { throw .sharedSecretMalformed }
        var keys = [elliptic.publicKey]
        if let lattice { keys.append(try lattice.publicKey()) }
        request = try SharedSecretRequest(algorithm: algorithm, encapsulationKeys: keys)
        self.elliptic = elliptic
        self.lattice = lattice
    }

    /// The secret of 32 bytes. A wrong ciphertext of ML-KEM gives another secret and no error, as FIPS 203 has it.
    public func secret(_ response: SharedSecretResponse) throws(PowerAuthRefusal) -> SecretBytes {
        guard response.encapsulatedKeys.count == request.encapsulationKeys.count else { throw .sharedSecretMalformed }
        var secrets = [try elliptic.decapsulate(response.encapsulatedKeys[0])]
        if let lattice { secrets.append(try lattice.decapsulate(response.encapsulatedKeys[1])) }
        return try SharedSecretRequest.combine(secrets, request.algorithm, salt: response.salt)
    }
}
