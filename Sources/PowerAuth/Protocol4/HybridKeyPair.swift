import Base
import Crypto
import Foundation

/// What one side signs with in protocol 4: a key of P-384 and, in hybrid suites, one of ML-DSA
/// (protocols/powerauth4.md). They sign only; secrets are agreed on with keys of their own (`SharedSecretOffer`).
public struct HybridKeyPair: Sendable {
    public let publicKey: HybridPublicKey
    private let elliptic: P384.Signing.PrivateKey
    /// 32 bytes, from which the key of ML-DSA is made again for each use.
    private let seed: SecretBytes?

    public static func fresh(_ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) -> HybridKeyPair {
        let elliptic = P384.Signing.PrivateKey()
        guard algorithm.isHybrid else { return try HybridKeyPair(algorithm, elliptic, seed: nil) }
        do {
            let seed =
                algorithm == .p384ML3
                ? try MLDSA65.PrivateKey().seedRepresentation : try MLDSA87.PrivateKey().seedRepresentation
            return try HybridKeyPair(algorithm, elliptic, seed: SecretBytes(seed))
        } catch {
            throw .keyMalformed
        }
    }

    /// From what `privateBytes` gave: 48 bytes, or 80 in hybrid suites.
    public init(_ algorithm: SharedSecretAlgorithm, privateBytes: SecretBytes) throws(PowerAuthRefusal) {
        guard privateBytes.count == (algorithm.isHybrid ? 80 : 48) else { throw .keyMalformed }
        guard let key = privateBytes.expose({ try? P384.Signing.PrivateKey(rawRepresentation: $0.prefix(48)) }) else {
            throw .keyMalformed
        }
        let seed = privateBytes.expose { SecretBytes($0.dropFirst(48)) }
        try self.init(algorithm, key, seed: algorithm.isHybrid ? seed : nil)
    }

    private init(
        _ algorithm: SharedSecretAlgorithm, _ elliptic: P384.Signing.PrivateKey, seed: SecretBytes?
    ) throws(PowerAuthRefusal) {
        self.elliptic = elliptic
        self.seed = seed
        var lattice: [UInt8]?
        if let seed {
            do {
                lattice = try seed.expose { seed in
                    algorithm == .p384ML3
                        ? Array(
                            try MLDSA65.PrivateKey(seedRepresentation: seed, publicKey: nil).publicKey.rawRepresentation
                        )
                        : Array(
                            try MLDSA87.PrivateKey(seedRepresentation: seed, publicKey: nil).publicKey.rawRepresentation
                        )
                }
            } catch {
                throw .keyMalformed
            }
        }
        publicKey = try HybridPublicKey(
            algorithm, ecdsa: Array(elliptic.publicKey.x963Representation),
            mldsa: lattice.map { algorithm.verificationPrefix.bytes + $0 })
    }

    /// The scalar of 48 bytes and then the seed, to be sealed.
    public var privateBytes: SecretBytes {
        SecretBytes(Array(elliptic.rawRepresentation) + (seed?.expose { $0 } ?? []))
    }

    /// ECDSA with SHA-384, in DER: activation codes and offline codes.
    public func sign(_ message: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        do {
            return Array(try elliptic.signature(for: message).derRepresentation)
        } catch {
            throw .keyMalformed
        }
    }

    /// r and s side by side, 96 bytes (RFC 7518, 3.4).
    func signRaw(_ message: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        do {
            return Array(try elliptic.signature(for: message).rawRepresentation)
        } catch {
            throw .keyMalformed
        }
    }

    /// With ML-DSA; `nil` where the suite has none.
    func signLattice(_ message: [UInt8]) throws(PowerAuthRefusal) -> [UInt8]? {
        guard let seed else { return nil }
        do {
            return try seed.expose { seed in
                publicKey.algorithm == .p384ML3
                    ? Array(try MLDSA65.PrivateKey(seedRepresentation: seed, publicKey: nil).signature(for: message))
                    : Array(try MLDSA87.PrivateKey(seedRepresentation: seed, publicKey: nil).signature(for: message))
            }
        } catch {
            throw .keyMalformed
        }
    }
}
