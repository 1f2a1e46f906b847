import PKIX

/// How much must be known of an authenticator (R15 to R17; WebAuthn, 7.1 and 5.4.7).
public struct AttestationPolicy: Sendable {
    public enum Conveyance: String, Sendable, CaseIterable { case none, indirect, direct, enterprise }

    /// What the client is asked for.
    public let conveyance: Conveyance
    public let formats: Set<AttestationFormat>
    public let trust: Set<AttestationTrust>
    /// By format, as makers have roots of their own for each.
    public let roots: [AttestationFormat: AttestationRoots]
    /// TPMs that still sign with SHA-1 (RS1).
    public let admitsSHA1: Bool
    /// FIDO U2F statements sign no AAGUID, so one that is not zero is anybody's claim.
    public let admitsU2FModel: Bool

    public init(
        conveyance: Conveyance = .none, formats: Set<AttestationFormat> = Set(AttestationFormat.allCases),
        trust: Set<AttestationTrust> = Set(AttestationTrust.allCases),
        roots: [AttestationFormat: AttestationRoots] = [:],
        admitsSHA1: Bool = false, admitsU2FModel: Bool = false
    ) {
        self.conveyance = conveyance
        self.formats = formats
        self.trust = trust
        self.roots = roots
        self.admitsSHA1 = admitsSHA1
        self.admitsU2FModel = admitsU2FModel
    }

    /// Asks for nothing and takes every statement that is right.
    public static let lenient = AttestationPolicy()
}

/// Attestation statement formats (WebAuthn, 8), by their identifiers, whose case matters.
public enum AttestationFormat: String, Sendable, Hashable, CaseIterable {
    case none, packed, apple, tpm
    case fidoU2F = "fido-u2f"
    case androidKey = "android-key"
}

/// Attestation types (WebAuthn, 6.5.3).
public enum AttestationType: String, Sendable {
    case none, basic
    case selfAttested = "self"
    case authority = "attca"
    case anonymous = "anonca"
}

/// What stands behind a statement that is right.
public enum AttestationTrust: String, Sendable, Hashable, CaseIterable {
    case none
    /// The credential's own key.
    case selfAttested = "self"
    /// Certificates that lead to no configured root.
    case unverified
    case rooted
}
