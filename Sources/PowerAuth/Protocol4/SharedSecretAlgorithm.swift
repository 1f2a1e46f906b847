/// The suites of protocol 4 (protocols/powerauth4.md). The protocol's two without P-384 are for its authors' tests.
public enum SharedSecretAlgorithm: String, Sendable, CaseIterable {
    case p384 = "EC_P384"
    /// With ML-KEM-768 and ML-DSA-65.
    case p384ML3 = "EC_P384_ML_L3"
    /// With ML-KEM-1024 and ML-DSA-87.
    case p384ML5 = "EC_P384_ML_L5"

    public var isHybrid: Bool { self != .p384 }

    /// What a key of ML-KEM and of ML-DSA has before its bytes in SubjectPublicKeyInfo (RFC 9935 and RFC 9881), and how
    /// many bytes follow.
    var encapsulationPrefix: (bytes: [UInt8], count: Int) {
        switch self {
        case .p384: ([], 0)
        case .p384ML3:
            ([0x30, 0x82, 0x04, 0xB2, 0x30, 0x0B, 0x06, 0x09] + Self.arc + [4, 2, 0x03, 0x82, 0x04, 0xA1, 0x00], 1184)
        case .p384ML5:
            ([0x30, 0x82, 0x06, 0x32, 0x30, 0x0B, 0x06, 0x09] + Self.arc + [4, 3, 0x03, 0x82, 0x06, 0x21, 0x00], 1568)
        }
    }

    var verificationPrefix: (bytes: [UInt8], count: Int) {
        switch self {
        case .p384: ([], 0)
        case .p384ML3:
            (
                [0x30, 0x82, 0x07, 0xB2, 0x30, 0x0B, 0x06, 0x09] + Self.arc + [3, 0x12, 0x03, 0x82, 0x07, 0xA1, 0x00],
                1952
            )
        case .p384ML5:
            (
                [0x30, 0x82, 0x0A, 0x32, 0x30, 0x0B, 0x06, 0x09] + Self.arc + [3, 0x13, 0x03, 0x82, 0x0A, 0x21, 0x00],
                2592
            )
        }
    }

    /// How many bytes ML-KEM's ciphertext and ML-DSA's signature have.
    var encapsulatedCount: Int { self == .p384ML3 ? 1088 : 1568 }

    /// 2.16.840.1.101.3.4, NIST's algorithms.
    private static let arc: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04]

    /// The name of the second signature in a JWS.
    var signatureName: String? {
        switch self {
        case .p384: nil
        case .p384ML3: "ML-DSA-65"
        case .p384ML5: "ML-DSA-87"
        }
    }
}
