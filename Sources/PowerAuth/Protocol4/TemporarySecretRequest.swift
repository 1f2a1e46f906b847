import Base

/// The JWT with which a phone of protocol 4 asks for a temporary key, which is a shared secret
/// (protocols/powerauth4.md). Nothing in it is to be believed before `verify`.
public struct TemporarySecretRequest: Sendable {
    /// Base64 of 16 bytes.
    public let applicationKey: String
    /// `nil` in application scope.
    public let activationID: String?
    /// Base64, to be given back as it is.
    public let challenge: String
    public let sharedSecret: SharedSecretRequest
    private let signedText: [UInt8]
    private let mac: [UInt8]

    public init(jwt: String) throws(PowerAuthRefusal) {
        let jwt = try CompactJWT(jwt)
        try jwt.require(algorithm: "HS384")
        let claims = try TemporaryKeyClaims(jwt.claims, takesNull: true)
        guard let request = jwt.claims["sharedSecretRequest"] else { throw .jwtMalformed }
        (applicationKey, activationID, challenge) = (claims.applicationKey, claims.activationID, claims.challenge)
        sharedSecret = try SharedSecretRequest(json: request)
        signedText = jwt.signedText
        mac = jwt.signature
    }

    /// `jwtSignatureMismatch` unless it was made with the application's secret (16 bytes), or in activation scope with
    /// the registration's key (`ActivationSecret.temporaryKeyMAC`).
    public func verify(
        applicationSecret: SecretBytes, temporaryKeyMAC: SecretBytes?
    ) throws(PowerAuthRefusal) {
        guard (activationID == nil) == (temporaryKeyMAC == nil) else { throw .jwtSignatureMismatch }
        let key = try Self.key(applicationSecret, temporaryKeyMAC)
        guard ConstantTime.equal(Digest.hmac384(key: key, signedText), mac) else { throw .jwtSignatureMismatch }
    }

    /// The phone's side; `temporaryKeyMAC` goes with `activationID`.
    public static func jwt(
        applicationKey: String, activationID: String?, challenge: String, sharedSecret: SharedSecretRequest,
        applicationSecret: SecretBytes, temporaryKeyMAC: SecretBytes?
    ) throws(PowerAuthRefusal) -> String {
        var claims: JSONObject = ["applicationKey": .string(applicationKey)]
        if let activationID { claims["activationId"] = .string(activationID) }
        claims["challenge"] = .string(challenge)
        claims["sharedSecretRequest"] = sharedSecret.json
        let text = CompactJWT.signedText(header: ["alg": "HS384"], claims: .object(claims))
        let mac = Digest.hmac384(key: try key(applicationSecret, temporaryKeyMAC), text.utf8)
        return "\(text).\(Base64URL.encode(mac))"
    }

    private static func key(
        _ applicationSecret: SecretBytes, _ temporaryKeyMAC: SecretBytes?
    ) throws(PowerAuthRefusal) -> SecretBytes {
        if let temporaryKeyMAC { return temporaryKeyMAC }
        return try LabeledKey.derive(applicationSecret, .applicationTemporaryKey)
    }
}
