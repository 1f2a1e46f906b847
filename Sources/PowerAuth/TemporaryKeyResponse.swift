import Base

/// The JWT with which a temporary key is given (protocols/operations.md, 4.4): signed by the application's master pair,
/// or the registration's in its scope.
public struct TemporaryKeyResponse: Equatable, Sendable {
    /// A UUID in small letters.
    public let keyID: String
    public let applicationKey: String
    public let activationID: String?
    public let challenge: String
    /// 65 bytes.
    public let publicKey: [UInt8]
    /// Milliseconds since the epoch. The SDK takes the server's time from it.
    public let issued: Int64
    public let expires: Int64

    public init(
        keyID: String, answering request: TemporaryKeyRequest, publicKey: [UInt8], issued: Int64, expires: Int64
    ) {
        self.init(
            keyID: keyID, applicationKey: request.applicationKey, activationID: request.activationID,
            challenge: request.challenge, publicKey: publicKey,
            issued: issued, expires: expires)
    }

    init(
        keyID: String, applicationKey: String, activationID: String?, challenge: String, publicKey: [UInt8],
        issued: Int64, expires: Int64
    ) {
        self.keyID = keyID
        self.applicationKey = applicationKey
        self.activationID = activationID
        self.challenge = challenge
        self.publicKey = publicKey
        self.issued = issued
        self.expires = expires
    }

    public func jwt(signedBy pair: PowerAuthKeyPair) throws(PowerAuthRefusal) -> String {
        let text = signedText, signature = try pair.signRaw(Array(text.utf8))
        return "\(text).\(Base64URL.encode(signature))"
    }

    /// `typ` and `alg` as the SDK compares them, letter for letter.
    var signedText: String {
        var claims: JSONObject = ["sub": .string(keyID), "applicationKey": .string(applicationKey)]
        if let activationID { claims["activationId"] = .string(activationID) }
        claims["challenge"] = .string(challenge)
        claims["publicKey"] = .string(Base64Text.encode(publicKey))
        claims["iat"] = .integer(Int(issued / 1000))
        claims["exp"] = .integer(Int(expires / 1000))
        claims["iat_ms"] = .integer(Int(issued))
        claims["exp_ms"] = .integer(Int(expires))
        return CompactJWT.signedText(header: ["typ": "JWT", "alg": "ES256"], claims: .object(claims))
    }

    /// The phone's side: `jwtSignatureMismatch` unless `signer` (33 or 65 bytes) signed it.
    public init(jwt: String, signedBy signer: [UInt8]) throws(PowerAuthRefusal) {
        let jwt = try CompactJWT(jwt)
        try jwt.require(algorithm: "ES256")
        guard PublicPoint.isSigned(jwt.signedText, raw: jwt.signature, by: signer) else { throw .jwtSignatureMismatch }
        guard let keyID = jwt.claims["sub"]?.string, let applicationKey = jwt.claims["applicationKey"]?.string,
            let challenge = jwt.claims["challenge"]?.string, let point = jwt.claims["publicKey"]?.string,
            let publicKey = Base64Text.decode(point, count: 65),
            let issued = jwt.claims["iat_ms"]?.integer, let expires = jwt.claims["exp_ms"]?.integer
        else { throw .jwtMalformed }
        self.init(
            keyID: keyID, applicationKey: applicationKey, activationID: jwt.claims["activationId"]?.string,
            challenge: challenge, publicKey: publicKey,
            issued: Int64(issued), expires: Int64(expires))
    }
}
