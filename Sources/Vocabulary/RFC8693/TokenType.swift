/// Token type identifiers (RFC 8693, 3; draft-ietf-oauth-identity-assertion-authz-grant for `id-jag`).
public enum TokenType: String, Sendable {
    case accessToken = "urn:ietf:params:oauth:token-type:access_token"
    case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    case jwt = "urn:ietf:params:oauth:token-type:jwt"
    case idToken = "urn:ietf:params:oauth:token-type:id_token"
    case identityAssertion = "urn:ietf:params:oauth:token-type:id-jag"

    public init?(wire: String) { self.init(rawValue: WireName.current(wire)) }
}
