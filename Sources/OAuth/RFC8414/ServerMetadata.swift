import Base
import Federation
import Keys
import Registration
import Vocabulary

/// Authorization server metadata (RFC 8414, 2; RFC 8628, 4; RFC 8705, 3.3; RFC 9101, 10.5; RFC 9126, 5; RFC 9207, 3;
/// RFC 9449, 5.1) and OpenID Connect Discovery 1.0, 3 with RP-Initiated (2.1) and Back-Channel Logout (2.1): two views
/// of one description.
public struct ServerMetadata: Sendable {
    let issuer: String
    let grants: [GrantType]
    /// What this server signs with.
    let signing: [SigningAlgorithm]
    /// Client certificates can arrive: TLS ends here, or a trusted proxy hands them on.
    let takesCertificates: Bool

    public init(issuer: String, grants: [GrantType], signing: [SigningAlgorithm], takesCertificates: Bool) {
        (self.issuer, self.grants, self.signing, self.takesCertificates) = (issuer, grants, signing, takesCertificates)
    }

    /// What others may sign with.
    static let algorithms = SigningAlgorithm.allCases.map(\.rawValue)

    public var authorizationServer: JSONValue { .object(shared) }

    public var openIDProvider: JSONValue {
        var document = shared
        document["userinfo_endpoint"] = .string(issuer + "/userinfo")
        document["end_session_endpoint"] = .string(issuer + "/logout")
        document["backchannel_logout_supported"] = true
        document["backchannel_logout_session_supported"] = true
        document["subject_types_supported"] = ["pairwise", "public"]
        document["id_token_signing_alg_values_supported"] = own
        document["userinfo_signing_alg_values_supported"] = own
        document["acr_values_supported"] = JSONValue(strings: AuthenticationContext.Level.allCases.map(\.rawValue))
        document["prompt_values_supported"] = JSONValue(
            strings: AuthorizationParameters.Prompt.allCases.map(\.rawValue))
        document["claims_parameter_supported"] = true
        document["claim_types_supported"] = ["normal"]
        let ofTokens = ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid"]
        document["claims_supported"] = JSONValue(strings: ofTokens + AttributeRelease.known + ["email_verified"])
        document["ui_locales_supported"] = ["en", "de", "fr", "it"]
        document["request_uri_parameter_supported"] = false
        return .object(document)
    }

    private var own: JSONValue { JSONValue(strings: signing.map(\.rawValue)) }

    private var methods: [String] {
        let always = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        return takesCertificates ? always + ["tls_client_auth", "self_signed_tls_client_auth"] : always
    }

    private var shared: JSONObject {
        let methods = JSONValue(strings: methods), algorithms = JSONValue(strings: ServerMetadata.algorithms)
        var document: JSONObject = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + "/authorize"),
            "authorization_challenge_endpoint": .string(issuer + "/authorize/challenge"),
            "token_endpoint": .string(issuer + "/token"),
            "introspection_endpoint": .string(issuer + "/introspect"),
            "revocation_endpoint": .string(issuer + "/revoke"),
            "pushed_authorization_request_endpoint": .string(issuer + "/par"),
            "device_authorization_endpoint": .string(issuer + "/device_authorization"),
            "registration_endpoint": .string(issuer + "/register"),
            "jwks_uri": .string(issuer + "/jwks.json"),
            "grant_types_supported": JSONValue(strings: grants.map(\.rawValue)),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "request_parameter_supported": true,
            "request_object_signing_alg_values_supported": algorithms,
            "require_signed_request_object": false,
            "require_pushed_authorization_requests": false,
            "token_endpoint_auth_methods_supported": JSONValue(strings: self.methods + ["none"]),
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_signing_alg_values_supported": own,
            "revocation_endpoint_auth_methods_supported": JSONValue(strings: self.methods + ["none"]),
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "dpop_signing_alg_values_supported": algorithms,
        ]
        if takesCertificates { document["tls_client_certificate_bound_access_tokens"] = true }
        return document
    }
}
