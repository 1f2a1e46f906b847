/// `X-PowerAuth-Authorization` (protocols/operations.md, 4.8). Protocol 4 has other names for two of its members
/// (protocols/powerauth4.md).
public struct SignatureHeader: Equatable, Sendable {
    public static let name = "X-PowerAuth-Authorization"

    public let version: PowerAuthVersion
    public let activationID: String
    /// Base64 of 16 bytes.
    public let applicationKey: String
    /// Base64 of 16 bytes, as it is signed.
    public let nonce: String
    public let type: FactorType
    /// As `FactorSignature.make` writes it.
    public let signature: String

    public init(
        version: PowerAuthVersion, activationID: String, applicationKey: String, nonce: String, type: FactorType,
        signature: String
    ) {
        self.version = version
        self.activationID = activationID
        self.applicationKey = applicationKey
        self.nonce = nonce
        self.type = type
        self.signature = signature
    }

    public init(
        parsing header: String?, versions: Set<PowerAuthVersion> = PowerAuthVersion.ofSignatures
    ) throws(PowerAuthRefusal) {
        let members = try HeaderMembers(header)
        version = try members.version("pa_version", versions)
        activationID = try members.identifier("pa_activation_id")
        _ = try members.bytes("pa_application_key", count: 16)
        applicationKey = try members.text("pa_application_key")
        _ = try members.bytes("pa_nonce", count: 16)
        nonce = try members.text("pa_nonce")
        let names = Self.names(version)
        guard let type = FactorType(parsing: try members.text(names.type)) else { throw .headerMalformed }
        self.type = type
        signature = try members.text(names.signature)
        guard signature.utf8.count <= (version.isProtocol4 ? 128 : 64) else { throw .headerMalformed }
    }

    private static func names(_ version: PowerAuthVersion) -> (type: String, signature: String) {
        version.isProtocol4 ? ("pa_auth_code_type", "pa_auth_code") : ("pa_signature_type", "pa_signature")
    }

    /// The header's value, as iOS writes it.
    public var text: String {
        let names = Self.names(version)
        let members = [
            ("pa_version", version.rawValue), ("pa_activation_id", activationID),
            ("pa_application_key", applicationKey), ("pa_nonce", nonce), (names.type, type.rawValue),
            (names.signature, signature),
        ]
        return "PowerAuth " + members.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
    }
}
