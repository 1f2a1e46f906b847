/// The signature algorithms understood here (RFC 7518, 3.1; RFC 8037, 3.1; RFC 9864, 2.2). The raw value is the `alg`.
///
/// `Ed25519` is RFC 9864's name of what RFC 8037 calls `EdDSA`: two spellings of one algorithm, see `isSame(as:)`.
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
    case ed25519 = "Ed25519"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"

    /// True for equal algorithms, whatever their spelling.
    public func isSame(as other: SigningAlgorithm) -> Bool {
        self == other || SigningAlgorithm.ofEd25519.contains(self) && SigningAlgorithm.ofEd25519.contains(other)
    }

    /// By which ID tokens are signed for a client that registered nothing: RS256 (OpenID Connect Registration 1.0, 2),
    /// unless the operator chose not to sign by it; then the first of those that they chose.
    public static func usualForIDTokens(among configured: [SigningAlgorithm]) -> SigningAlgorithm {
        configured.contains(.rs256) ? .rs256 : configured.first ?? .es256
    }

    /// Both spellings, the one that every verifier knows first.
    static let ofEd25519: [SigningAlgorithm] = [.edDSA, .ed25519]
    /// RFC 7518, 3.3 and 3.5; RS256 first, as the one that every verifier has.
    static let ofRSA: [SigningAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
}
