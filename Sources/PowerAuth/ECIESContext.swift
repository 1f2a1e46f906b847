import Base

/// What an exchange is bound to: application, registration and temporary key (protocols/operations.md, 4.5).
public struct ECIESContext: Sendable {
    public let version: PowerAuthVersion
    /// Under which the MACs stand, with the sizes of its parts from 3.2 on.
    let base: [UInt8]
    let associatedData: [UInt8]

    /// Key and secret as their Base64 text.
    public static func application(
        key: String, secret: String, temporaryKeyID: String?, version: PowerAuthVersion = .v33
    ) -> ECIESContext {
        ECIESContext(version: version, base: Digest.sha256(secret), parts: [key, temporaryKeyID])
    }

    /// Also bound to the registration, by its transport key.
    public static func activation(
        id: String, transport: SecretBytes, key: String, secret: String, temporaryKeyID: String?,
        version: PowerAuthVersion = .v33
    ) -> ECIESContext {
        ECIESContext(
            version: version, base: Digest.hmac(key: transport, secret.utf8), parts: [key, id, temporaryKeyID])
    }

    private init(version: PowerAuthVersion, base: [UInt8], parts: [String?]) {
        self.init(
            version: version, base: base,
            associatedData: BigEndian.sized(([version.rawValue] + parts.compactMap { $0 }).map { Array($0.utf8) }))
    }

    /// With shared information 2 as it is: how the primitive is tested.
    init(version: PowerAuthVersion, base: [UInt8], associatedData: [UInt8]) {
        self.version = version
        self.base = base
        self.associatedData = associatedData
    }

    /// What the MAC covers behind the ciphertext. `ephemeral` is empty in responses.
    func information(nonce: [UInt8], timestamp: Int64, ephemeral: [UInt8]) -> [UInt8] {
        switch version {
        case .v30, .v31: base
        // Protocol 4 has no ECIES (`EnvelopeContext`); what nobody asks is answered as the newest one is.
        case .v32, .v33, .v40: BigEndian.sized([base, nonce, BigEndian.bytes(timestamp), ephemeral, associatedData])
        }
    }
}
