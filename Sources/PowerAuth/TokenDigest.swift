import Base

/// The MAC of a token header (protocols/operations.md, 4.9; protocols/powerauth4.md).
public enum TokenDigest {
    public static func make(
        _ version: PowerAuthVersion, secret: SecretBytes, nonce: [UInt8], timestamp: Int64
    ) -> [UInt8] {
        var message = nonce + Array("&\(timestamp)".utf8)
        if version >= .v32 { message += Array("&\(version.rawValue)".utf8) }
        guard version.isProtocol4 else { return Digest.hmac(key: secret, message) }
        // A secret that KMAC does not take has no digest, and an empty one is equal to none of a header.
        return (try? KMAC256.mac(key: secret, message, .tokenDigest)) ?? []
    }

    /// In constant time.
    public static func verify(_ header: TokenHeader, secret: SecretBytes) -> Bool {
        ConstantTime.equal(
            make(header.version, secret: secret, nonce: header.nonce, timestamp: header.timestamp), header.digest)
    }
}
