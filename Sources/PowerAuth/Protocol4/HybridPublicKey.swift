import Base
import Crypto
import Foundation

/// `devicePublicKeys` and `serverPublicKeys`: what signatures of the other side are checked with
/// (protocols/powerauth4.md).
public struct HybridPublicKey: Equatable, Sendable {
    public let algorithm: SharedSecretAlgorithm
    /// 97 bytes, however it was sent.
    public let ecdsa: [UInt8]
    /// SubjectPublicKeyInfo; `nil` where the suite has none.
    public let mldsa: [UInt8]?

    /// `publicKeyMalformed` unless `ecdsa` is a point of P-384 (49 or 97 bytes) and `mldsa` is there, of the suite's
    /// parameter set, exactly in hybrid suites.
    public init(
        _ algorithm: SharedSecretAlgorithm, ecdsa: [UInt8], mldsa: [UInt8]?
    ) throws(PowerAuthRefusal) {
        self.ecdsa = Array(try EllipticKEM.check(ecdsa).x963Representation)
        let (prefix, count) = algorithm.verificationPrefix
        guard algorithm.isHybrid == (mldsa != nil) else { throw .publicKeyMalformed }
        if let mldsa {
            guard mldsa.count == prefix.count + count, mldsa.starts(with: prefix) else { throw .publicKeyMalformed }
        }
        self.algorithm = algorithm
        self.mldsa = mldsa
    }

    /// `{"ecdsa":…,"mldsa":…}`; a `mldsa` of `null` is none.
    public init(_ algorithm: SharedSecretAlgorithm, json: JSONValue) throws(PowerAuthRefusal) {
        guard let text = json["ecdsa"]?.string, text.utf8.count <= 132, let ecdsa = Base64Text.decode(text) else {
            throw .publicKeyMalformed
        }
        var lattice: [UInt8]?
        if let member = json["mldsa"], member != .null {
            guard let text = member.string, text.utf8.count <= 3600, let bytes = Base64Text.decode(text) else {
                throw .publicKeyMalformed
            }
            lattice = bytes
        }
        try self.init(algorithm, ecdsa: ecdsa, mldsa: lattice)
    }

    public var json: JSONValue {
        var members: JSONObject = ["ecdsa": .string(Base64Text.encode(ecdsa))]
        if let mldsa { members["mldsa"] = .string(Base64Text.encode(mldsa)) }
        return .object(members)
    }

    /// What fingerprints have of it: the first coordinate without leading zeros, and the key of ML-DSA apart.
    var fingerprinted: [UInt8] { Array(ecdsa.dropFirst().prefix(48).drop { $0 == 0 }) + (mldsa ?? []) }

    /// Whether `signature` (ECDSA with SHA-384, DER) is of `message`.
    public func isSigned(_ message: [UInt8], der signature: [UInt8]) -> Bool {
        guard let parsed = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return isSigned(message, parsed)
    }

    /// As above with r and s side by side, 96 bytes.
    func isSigned(_ message: [UInt8], raw signature: [UInt8]) -> Bool {
        guard let parsed = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return isSigned(message, parsed)
    }

    private func isSigned(_ message: [UInt8], _ signature: P384.Signing.ECDSASignature) -> Bool {
        guard let key = try? P384.Signing.PublicKey(x963Representation: ecdsa) else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// Whether `signature` of ML-DSA is of `message`; `false` where the suite has none.
    func isSigned(_ message: [UInt8], lattice signature: [UInt8]) -> Bool {
        guard let mldsa else { return false }
        let raw = mldsa.dropFirst(algorithm.verificationPrefix.bytes.count)
        switch algorithm {
        case .p384: return false
        case .p384ML3:
            return (try? MLDSA65.PublicKey(rawRepresentation: raw))?.isValidSignature(signature, for: message) ?? false
        case .p384ML5:
            return (try? MLDSA87.PublicKey(rawRepresentation: raw))?.isValidSignature(signature, for: message) ?? false
        }
    }
}
