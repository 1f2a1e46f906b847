import Base
import Foundation
import Keys

/// The phone's side of the protocol: a fresh device with a fresh key, which registers, logs a person in, and shows proofs (RFC 9449).
public struct DemoPhone: Sendable {
    public let issuer: String
    public let wire: DemoWire
    public let version: DemoCredentials.Version

    public init(issuer: String, wire: DemoWire, version: DemoCredentials.Version) {
        (self.issuer, self.wire, self.version) = (issuer, wire, version)
    }

    public let key = HolderKey()
    public let deviceID = UUID().uuidString.lowercased()
    /// The key of the third-party app on the same phone.
    public let appKey = HolderKey()

    public static let otherApp = "org.example.photos"

    /// RFC 7523: the version's key vouches for the software, `cnf.jwk` is the instance's own key.
    public func registration() throws -> DemoRequest {
        let versionKey = try HolderKey(raw: version.privateKey)
        let assertion = try versionKey.sign(timed([
            "iss": .string(version.id), "sub": .string(deviceID), "aud": .string(issuer), "name": "Demo phone", "device_type": "phone", "os_version": "17.1",
            "cnf": ["jwk": key.publicJWK],
        ], seconds: 120), header: ["typ": "client-authentication+jwt", "kid": .string(versionKey.thumbprint)])
        return try tokenRequest([
            ("grant_type", "client_credentials"), ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), ("client_assertion", assertion),
        ])
    }

    /// draft-ietf-oauth-first-party-apps, with PKCE (RFC 7636).
    public func login(_ person: DemoCredentials.Person, verifier: String, with instance: DemoToken, at endpoint: String) throws -> DemoRequest {
        try ask("POST", endpoint, with: instance, .form([
            ("response_type", "code"), ("username", person.username), ("password", person.password),
            ("code_challenge", Base64URL.encode(Digest.sha256(verifier))), ("code_challenge_method", "S256"),
        ]))
    }

    /// At the IdP's token endpoint: a proof by the phone's key, without `ath`, since no token is shown.
    public func tokenRequest(_ form: [(String, String)]) throws -> DemoRequest {
        var request = DemoRequest(method: "POST", url: issuer + "/token", body: .form(form))
        request.headers = [("DPoP", try proof(request, by: key))]
        return request
    }

    /// RFC 7662: a token that asks about itself.
    public func introspection(of token: DemoToken) throws -> DemoRequest {
        try ask("POST", issuer + "/introspect", with: token, .form([("token", token.text)]))
    }

    /// RFC 7523, 2.1, at the service that the assertion is for.
    public func redemption(_ assertion: String, at endpoint: String) throws -> DemoRequest {
        var request = DemoRequest(method: "POST", url: endpoint, body: .form([("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]))
        request.headers = [("DPoP", try proof(request, by: key))]
        return request
    }

    /// api.md, "A service": the code is a JWT by the phone's key; it names the other app, and the key that this app made for itself.
    public func handOut(to bundle: String, scope: String, instance: String, with service: DemoToken, at endpoint: String) throws -> DemoRequest {
        let code = try key.sign(timed([
            "iss": .string(instance), "sub": .string(bundle), "aud": .string(endpoint), "cnf": ["jwk": appKey.publicJWK],
        ], seconds: 60), header: ["typ": "JWT"])
        return try ask("POST", endpoint, with: service, .form([("grant_type", "authorization_code"), ("code", code), ("client_id", bundle), ("scope", scope)]))
    }

    /// A request that shows a bound token with its proof. App tokens are the other app's, and so is their key.
    public func ask(_ method: String, _ url: String, with token: DemoToken, _ body: DemoRequest.Body = .none) throws -> DemoRequest {
        var request = DemoRequest(method: method, url: url, body: body)
        request.headers = [("Authorization", "DPoP \(token.text)"), ("DPoP", try proof(request, by: token.kind == .app ? appKey : key, for: token))]
        return request
    }

    private func proof(_ request: DemoRequest, by key: HolderKey, for token: DemoToken? = nil) throws -> String {
        var claims: JSONObject = [
            "htm": .string(request.method), "htu": .string(request.url), "iat": .integer(Date().numericDate), "jti": .string(Randomness.system.identifier()),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(Digest.sha256(token.text))) }
        return try key.sign(claims, header: ["typ": "dpop+jwt", "jwk": key.publicJWK])
    }

    private func timed(_ claims: JSONObject, seconds: Int) -> JSONObject {
        var claims = claims
        let now = Date().numericDate
        (claims["iat"], claims["exp"], claims["jti"]) = (.integer(now), .integer(now + seconds), .string(Randomness.system.identifier()))
        return claims
    }
}
