import Base

/// A shared secret for HS256 (RFC 7518, 3.2), only for apps marked `legacy`. At least as long as the digest.
///
/// A type of its own, so that no path leads from a public key to an HMAC: "HS256 with the public key" cannot be spelled.
public struct LegacySecret: Sendable {
    public struct TooShort: Error, CustomStringConvertible {
        public let description = "an HS256 secret must have at least 32 bytes (RFC 7518, 3.2)"
    }

    public static let algorithm = "HS256"
    private let secret: SecretBytes

    public init(_ secret: SecretBytes) throws(TooShort) {
        guard secret.count >= 32 else { throw TooShort() }
        self.secret = secret
    }

    /// In constant time; false unless the header says HS256.
    public func signed(_ jws: CompactJWS) -> Bool {
        guard jws.algorithm == LegacySecret.algorithm else { return false }
        return ConstantTime.equal(Digest.hmac(key: secret, jws.signingInput), jws.signature)
    }
}

extension JWT {
    /// HS256 only, and false for a secret shorter than 32 bytes.
    public func isSigned(bySecret secret: SecretBytes) -> Bool {
        guard let legacy = try? LegacySecret(secret) else { return false }
        return legacy.signed(jws)
    }
}
