/// A credential that may be stored (WebAuthn, 7.1, last steps; R19), once nobody else has its id (R18).
public struct NewCredential: Sendable, Equatable {
    public let id: [UInt8]
    public let key: COSEKey
    public let counter: UInt32
    public let userVerified: Bool
    public let backupEligible: Bool
    public let backedUp: Bool
    /// The AAGUID, 16 bytes; a claim, unless `trust` is `rooted`.
    public let model: [UInt8]
    public let transports: [String]
    public let format: AttestationFormat
    public let type: AttestationType
    public let trust: AttestationTrust
    public let attestationObject: [UInt8]
}
