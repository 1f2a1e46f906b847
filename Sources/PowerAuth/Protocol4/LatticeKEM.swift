import Base
import Crypto
import Foundation

/// A secret for a key of ML-KEM (FIPS 203), which goes over the wire in SubjectPublicKeyInfo (protocols/powerauth4.md).
struct LatticeKEM: Sendable {
    private let algorithm: SharedSecretAlgorithm
    /// 64 bytes, from which the key is made again for each use.
    private let seed: SecretBytes

    static func fresh(_ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) -> LatticeKEM {
        do {
            switch algorithm {
            case .p384: throw PowerAuthRefusal.algorithmUnsupported
            case .p384ML3: return try LatticeKEM(algorithm, seed: MLKEM768.PrivateKey().seedRepresentation)
            case .p384ML5: return try LatticeKEM(algorithm, seed: MLKEM1024.PrivateKey().seedRepresentation)
            }
        } catch {
            throw .algorithmUnsupported
        }
    }

    private init(_ algorithm: SharedSecretAlgorithm, seed: Data) {
        self.algorithm = algorithm
        self.seed = SecretBytes(seed)
    }

    func publicKey() throws(PowerAuthRefusal) -> [UInt8] {
        do {
            return try seed.expose { seed in
                switch algorithm {
                case .p384: throw PowerAuthRefusal.algorithmUnsupported
                case .p384ML3:
                    algorithm.encapsulationPrefix.bytes
                        + (try MLKEM768.PrivateKey(seedRepresentation: seed, publicKey: nil)).publicKey
                        .rawRepresentation
                case .p384ML5:
                    algorithm.encapsulationPrefix.bytes
                        + (try MLKEM1024.PrivateKey(seedRepresentation: seed, publicKey: nil)).publicKey
                        .rawRepresentation
                }
            }
        } catch {
            throw .keyMalformed
        }
    }

    /// `publicKeyMalformed` unless it is a key of the algorithm's parameter set, its coefficients reduced (FIPS 203,
    /// 7.2): a request is refused where it is read, since whoever answers it has changed things by then.
    static func check(_ bytes: [UInt8], _ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) {
        let raw = try rawKey(bytes, algorithm)
        do {
            if algorithm == .p384ML3 {
                _ = try MLKEM768.PublicKey(rawRepresentation: raw)
            } else {
                _ = try MLKEM1024.PublicKey(rawRepresentation: raw)
            }
        } catch {
            throw .publicKeyMalformed
        }
    }

    /// `publicKeyMalformed` unless it has the form of a key of the algorithm's parameter set.
    static func rawKey(_ bytes: [UInt8], _ algorithm: SharedSecretAlgorithm) throws(PowerAuthRefusal) -> [UInt8] {
        let (prefix, count) = algorithm.encapsulationPrefix
        guard algorithm.isHybrid, bytes.count == prefix.count + count, bytes.starts(with: prefix) else {
            throw .publicKeyMalformed
        }
        return Array(bytes.dropFirst(prefix.count))
    }

    static func encapsulate(
        _ publicKey: [UInt8], _ algorithm: SharedSecretAlgorithm
    ) throws(PowerAuthRefusal) -> (secret: SecretBytes, encapsulated: [UInt8]) {
        let raw = try rawKey(publicKey, algorithm)
        do {
            let result =
                algorithm == .p384ML3
                ? try MLKEM768.PublicKey(rawRepresentation: raw).encapsulate()
                : try MLKEM1024.PublicKey(rawRepresentation: raw).encapsulate()
            return (SecretBytes(result.sharedSecret.withUnsafeBytes { Array($0) }), Array(result.encapsulated))
        } catch {
            // FIPS 203, 7.2: coefficients that are not reduced.
            throw .publicKeyMalformed
        }
    }

    /// `sharedSecretMalformed` for another length than a ciphertext has.
    func decapsulate(_ encapsulated: [UInt8]) throws(PowerAuthRefusal) -> SecretBytes {
        guard encapsulated.count == algorithm.encapsulatedCount else { throw .sharedSecretMalformed }
        do {
            let secret = try seed.expose { seed in
                algorithm == .p384ML3
                    ? try MLKEM768.PrivateKey(seedRepresentation: seed, publicKey: nil).decapsulate(encapsulated)
                    : try MLKEM1024.PrivateKey(seedRepresentation: seed, publicKey: nil).decapsulate(encapsulated)
            }
            return SecretBytes(secret.withUnsafeBytes { Array($0) })
        } catch {
            throw .sharedSecretMalformed
        }
    }
}
