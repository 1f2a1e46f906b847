import Base
import Keys

/// What a provider says of itself (OpenID Connect Discovery 1.0, 3; RFC 8414, 2), checked.
struct ProviderMetadata: Sendable, Equatable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let jwksURI: String
    let userInfoEndpoint: String?
    let endSessionEndpoint: String?
    /// RFC 9126.
    let pushedRequestEndpoint: String?
    /// Its answers name it (RFC 9207, 3).
    let namesItself: Bool
    /// Of ID tokens; those that are known here and need no shared secret.
    let algorithms: [SigningAlgorithm]
    let authMethods: [String]
    let acrValues: [String]
    let logsOutByBackChannel: Bool

    /// Throws where the document is not that of `issuer`, letter by letter (Discovery, 4.3), or names an address
    /// without TLS that is not on this machine.
    init(_ json: JSONValue, issuer: String, allowsLoopback: Bool) throws(UpstreamRefusal) {
        guard json["issuer"]?.string == issuer else { throw .invalid("metadata names another issuer") }
        func address(_ name: String) throws(UpstreamRefusal) -> String? {
            guard let text = json[name]?.string else { return nil }
            guard ProviderMetadata.isAllowed(text, allowsLoopback) else { throw .invalid("\(name) is no https URL") }
            return text
        }
        func needed(_ name: String) throws(UpstreamRefusal) -> String {
            guard let text = try address(name) else { throw .invalid("metadata has no \(name)") }
            return text
        }
        self.issuer = issuer
        authorizationEndpoint = try needed("authorization_endpoint")
        tokenEndpoint = try needed("token_endpoint")
        jwksURI = try needed("jwks_uri")
        userInfoEndpoint = try address("userinfo_endpoint")
        endSessionEndpoint = try address("end_session_endpoint")
        pushedRequestEndpoint = try address("pushed_authorization_request_endpoint")
        namesItself = json["authorization_response_iss_parameter_supported"]?.bool ?? false
        let named = json["id_token_signing_alg_values_supported"]?.strings ?? ["RS256"]
        algorithms = named.compactMap { SigningAlgorithm(rawValue: $0) }
        guard !algorithms.isEmpty else { throw .invalid("ID tokens are signed by nothing that is known here") }
        authMethods = json["token_endpoint_auth_methods_supported"]?.strings ?? ["client_secret_basic"]
        acrValues = json["acr_values_supported"]?.strings ?? []
        logsOutByBackChannel = json["backchannel_logout_supported"]?.bool ?? false
        if let methods = json["code_challenge_methods_supported"]?.strings, !methods.contains("S256") {
            throw .invalid("PKCE with S256 is not spoken")
        }
    }

    static func isAllowed(_ text: String, _ allowsLoopback: Bool) -> Bool {
        guard let address = WebAddress(text), !text.contains("#") else { return false }
        return address.scheme == "https" || allowsLoopback && address.isLoopback
    }
}
