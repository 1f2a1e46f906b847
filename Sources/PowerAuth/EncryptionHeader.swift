/// `X-PowerAuth-Encryption`, on encrypted requests that are not signed (protocols/operations.md, 4.5).
public struct EncryptionHeader: Equatable, Sendable {
    public static let name = "X-PowerAuth-Encryption"

    public let version: PowerAuthVersion
    /// Base64 of 16 bytes.
    public let applicationKey: String
    /// `nil` in application scope.
    public let activationID: String?

    public init(version: PowerAuthVersion, applicationKey: String, activationID: String?) {
        self.version = version
        self.applicationKey = applicationKey
        self.activationID = activationID
    }

    public init(
        parsing header: String?, versions: Set<PowerAuthVersion> = PowerAuthVersion.ofEnvelopes
    ) throws(PowerAuthRefusal) {
        let members = try HeaderMembers(header)
        version = try members.version("version", versions)
        _ = try members.bytes("application_key", count: 16)
        applicationKey = try members.text("application_key")
        activationID = members.has("activation_id") ? try members.identifier("activation_id") : nil
    }

    /// The header's value: iOS has commas, Android has blanks alone.
    public func text(commas: Bool = true) -> String {
        var members = ["version=\"\(version.rawValue)\"", "application_key=\"\(applicationKey)\""]
        if let activationID { members.append("activation_id=\"\(activationID)\"") }
        return "PowerAuth " + members.joined(separator: commas ? ", " : " ")
    }
}
