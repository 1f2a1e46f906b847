import Base
import Crypto

/// Eight digits that people compare on phone and screen before a registration is committed (protocols/operations.md,
/// 4.6).
public enum Fingerprint {
    /// Of both public keys (33 or 65 bytes), whose first coordinates count without leading zeros.
    public static func of(device: [UInt8], activationID: String, server: [UInt8]) throws(PowerAuthRefusal) -> String {
        let first = try PublicPoint.x(PublicPoint.check(device)), last = try PublicPoint.x(PublicPoint.check(server))
        return DecimalCode.of(Digest.sha256(first + Array(activationID.utf8) + last), digits: 8)
    }

    /// Of protocol 4: the suite's name and both sides' keys, hashed with SHA3-256 (protocols/powerauth4.md).
    /// `publicKeyMalformed` when the keys are not of one suite.
    public static func of(
        device: HybridPublicKey, activationID: String, server: HybridPublicKey
    ) throws(PowerAuthRefusal) -> String {
        guard device.algorithm == server.algorithm else { throw .publicKeyMalformed }
        let names = (Array(device.algorithm.rawValue.utf8), Array(activationID.utf8))
        let bytes = names.0 + device.fingerprinted + names.1 + server.fingerprinted
        return DecimalCode.of(Array(SHA3_256.hash(data: bytes)), digits: 8)
    }
}
