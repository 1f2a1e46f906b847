/// `typ` of the JWTs that Pando makes or reads (RFC 8725, 3.11: each kind has its own, so none passes for another).
public enum JWTType: String, Sendable, CaseIterable {
    case plain = "jwt"
    case accessToken = "at+jwt"
    case serviceAssertion = "oauth-id-jag+jwt"
    case clientAuthentication = "client-authentication+jwt"
    case proof = "dpop+jwt"
    case securityEvent = "secevent+jwt"
    case introspection = "token-introspection+jwt"
    case requestObject = "oauth-authz-req+jwt"
    case logout = "logout+jwt"
    case discovery = "discovery+jwt"
    case authenticationSession = "pando-auth-session+jwt"
}
