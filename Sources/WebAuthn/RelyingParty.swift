import Base

/// Who asks for a credential, and what it insists on (WebAuthn, 7.1 and 7.2: everything that is for the relying party
/// to decide).
public struct RelyingParty: Sendable {
    public enum UserVerification: String, Sendable, CaseIterable { case required, preferred, discouraged }

    /// Ceremonies inside the page of somebody else (WebAuthn, 5.10, `crossOrigin` and `topOrigin`).
    public enum Framing: Sendable, Equatable {
        case refused
        /// With a top origin, when the client tells it, that is one of these.
        case allowed(topOrigins: Set<String>)
    }

    /// The RP ID, a domain name.
    public let id: String
    public let name: String
    /// Compared as whole strings: `https://…`, `android:apk-key-hash:…`.
    public let origins: Set<String>
    public let framing: Framing
    public let userVerification: UserVerification
    /// Cleared for credentials that a client makes without a prompt (conditional create).
    public let needsPresence: Bool
    /// Offered, the favourite first.
    public let algorithms: [COSEAlgorithm]
    public let attestation: AttestationPolicy

    public init(
        id: String, name: String, origins: Set<String>, framing: Framing = .refused,
        userVerification: UserVerification = .required,
        needsPresence: Bool = true, algorithms: [COSEAlgorithm] = COSEAlgorithm.usual,
        attestation: AttestationPolicy = .lenient
    ) {
        self.id = id
        self.name = name
        self.origins = origins
        self.framing = framing
        self.userVerification = userVerification
        self.needsPresence = needsPresence
        self.algorithms = algorithms
        self.attestation = attestation
    }

    var idHash: [UInt8] { Digest.sha256(id) }
}
