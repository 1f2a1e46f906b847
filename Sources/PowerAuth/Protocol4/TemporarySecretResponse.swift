import Base

/// What gives a temporary key of protocol 4: signed by the application's master keys, or the registration's server keys
/// in its scope (protocols/powerauth4.md).
public struct TemporarySecretResponse: Equatable, Sendable {
    /// A UUID in small letters.
    public let keyID: String
    public let applicationKey: String
    public let activationID: String?
    public let challenge: String
    public let sharedSecret: SharedSecretResponse
    /// Milliseconds since the epoch. The SDK takes the server's time from it.
    public let issued: Int64
    public let expires: Int64

    public init(
        keyID: String, answering request: TemporarySecretRequest, sharedSecret: SharedSecretResponse, issued: Int64,
        expires: Int64
    ) {
        self.keyID = keyID
        applicationKey = request.applicationKey
        activationID = request.activationID
        challenge = request.challenge
        self.sharedSecret = sharedSecret
        self.issued = issued
        self.expires = expires
    }

    /// What stands in `jwt` of the answer, which is no JWT but a JWS in JSON, as text.
    public func jws(signedBy pair: HybridKeyPair) throws(PowerAuthRefusal) -> String {
        var claims: JSONObject = ["sub": .string(keyID), "applicationKey": .string(applicationKey)]
        if let activationID { claims["activationId"] = .string(activationID) }
        claims["challenge"] = .string(challenge)
        claims["sharedSecretResponse"] = sharedSecret.json
        claims["iat"] = .integer(Int(issued / 1000))
        claims["exp"] = .integer(Int(expires / 1000))
        claims["iat_ms"] = .integer(Int(issued))
        claims["exp_ms"] = .integer(Int(expires))
        return try GeneralJWS.text(.object(claims), signedBy: pair)
    }

    /// The phone's side: `jwtSignatureMismatch` unless `signer` signed it, with each key of the suite.
    public init(jws: String, signedBy signer: HybridPublicKey) throws(PowerAuthRefusal) {
        let claims = try GeneralJWS.claims(jws, signedBy: signer)
        guard let keyID = claims["sub"]?.string, HeaderMembers.isIdentifier(keyID),
            let applicationKey = claims["applicationKey"]?.string, let challenge = claims["challenge"]?.string,
            let secret = claims["sharedSecretResponse"], let issued = claims["iat_ms"]?.integer,
            let expires = claims["exp_ms"]?.integer
        else { throw .jwtMalformed }
        self.keyID = keyID
        self.applicationKey = applicationKey
        activationID = claims["activationId"]?.string
        self.challenge = challenge
        sharedSecret = try SharedSecretResponse(json: secret)
        self.issued = Int64(issued)
        self.expires = Int64(expires)
    }
}
