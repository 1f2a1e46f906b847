import Base

/// Eight digits that people compare on phone and screen before a registration is committed (protocols/operations.md,
/// 4.6).
public enum Fingerprint {
    /// Of both public keys (33 or 65 bytes), whose first coordinates count without leading zeros.
    public static func of(device: [UInt8], activationID: String, server: [UInt8]) throws(PowerAuthRefusal) -> String {
        let first = try PublicPoint.x(PublicPoint.check(device)), last = try PublicPoint.x(PublicPoint.check(server))
        return DecimalCode.of(Digest.sha256(first + Array(activationID.utf8) + last), digits: 8)
    }
}
