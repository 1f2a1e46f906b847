import Base

extension SigningAlgorithm {
    /// Left half of the hash that belongs to the algorithm, as ID tokens name a token or code (OpenID Connect Core,
    /// 3.1.3.6; SHA-512 for Ed25519, as RFC 8032 has it inside).
    public func halfHash(of text: String) -> String {
        let bytes: [UInt8] =
            switch self {
            case .es256, .rs256, .ps256: Digest.sha256(text)
            case .es384, .rs384, .ps384: Digest.sha384(text.utf8)
            case .es512, .rs512, .ps512, .edDSA, .ed25519: Digest.sha512(text.utf8)
            }
        return Base64URL.encode(bytes.prefix(bytes.count / 2))
    }
}
