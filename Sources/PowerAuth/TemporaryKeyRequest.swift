import Base

/// The JWT with which a phone asks for a temporary key (protocols/operations.md, 4.4). Nothing in it is to be believed
/// before `verify`.
public struct TemporaryKeyRequest: Sendable {
    /// Base64 of 16 bytes.
    public let applicationKey: String
    /// `nil` in application scope.
    public let activationID: String?
    /// Base64, to be given back as it is.
    public let challenge: String

    private let signedText: [UInt8]
    private let mac: [UInt8]

    public init(jwt: String) throws(PowerAuthRefusal) {
        let jwt = try CompactJWT(jwt)
        try jwt.require(algorithm: "HS256")
        let claims = try TemporaryKeyClaims(jwt.claims, takesNull: false)
        (applicationKey, activationID, challenge) = (claims.applicationKey, claims.activationID, claims.challenge)
        signedText = jwt.signedText
        mac = jwt.signature
    }

    /// `jwtSignatureMismatch` unless it was made with the application's secret (16 bytes), and the registration's
    /// transport key when it names one.
    public func verify(applicationSecret: SecretBytes, transport: SecretBytes?) throws(PowerAuthRefusal) {
        guard (activationID == nil) == (transport == nil) else { throw .jwtSignatureMismatch }
        let key = Self.key(applicationSecret: applicationSecret, transport: transport)
        guard ConstantTime.equal(Digest.hmac(key: key, signedText), mac) else { throw .jwtSignatureMismatch }
    }

    /// The phone's side; `transport` goes with `activationID`.
    public static func jwt(
        applicationKey: String, activationID: String?, challenge: String, applicationSecret: SecretBytes,
        transport: SecretBytes?
    ) -> String {
        var claims: JSONObject = ["applicationKey": .string(applicationKey)]
        if let activationID { claims["activationId"] = .string(activationID) }
        claims["challenge"] = .string(challenge)
        let text = CompactJWT.signedText(header: ["alg": "HS256", "typ": "JWT"], claims: .object(claims))
        let mac = Digest.hmac(key: key(applicationSecret: applicationSecret, transport: transport), text.utf8)
        return "\(text).\(Base64URL.encode(mac))"
    }

    private static func key(applicationSecret: SecretBytes, transport: SecretBytes?) -> SecretBytes {
        guard let transport else { return applicationSecret }
        return KeyDerivation.internal(transport, applicationSecret.expose { $0 })
    }
}
