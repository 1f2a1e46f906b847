import Base
import Keys
import Vocabulary

/// Authorization server metadata (RFC 8414, 2) and OpenID Connect Discovery 1.0, 3: two views of one description.
public struct ServerMetadata: Sendable {
    let issuer: String
    let grants: [GrantType]

    public init(issuer: String, grants: [GrantType]) { (self.issuer, self.grants) = (issuer, grants) }

    static let algorithms = SigningAlgorithm.allCases.map(\.rawValue)

    public var authorizationServer: JSONValue { .object(shared) }

    public var openIDProvider: JSONValue {
        var document = shared
        document["userinfo_endpoint"] = .string(issuer + "/userinfo")
        document["subject_types_supported"] = ["public", "pairwise"]
        document["id_token_signing_alg_values_supported"] = ["ES256"]
        document["claims_supported"] = JSONValue(strings: ["sub", "iss", "aud", "exp", "iat", "name", "given_name", "family_name", "email"])
        return .object(document)
    }

    private var shared: JSONObject {
        let methods: JSONValue = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        let algorithms = JSONValue(strings: ServerMetadata.algorithms)
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + "/authorize"),
            "authorization_challenge_endpoint": .string(issuer + "/authorize/challenge"),
            "token_endpoint": .string(issuer + "/token"),
            "introspection_endpoint": .string(issuer + "/introspect"),
            "revocation_endpoint": .string(issuer + "/revoke"),
            "pushed_authorization_request_endpoint": .string(issuer + "/par"),
            "registration_endpoint": .string(issuer + "/register"),
            "jwks_uri": .string(issuer + "/jwks.json"),
            "grant_types_supported": JSONValue(strings: grants.map(\.rawValue)),
            "response_types_supported": ["code"],
            "scopes_supported": ["openid", "profile", "email"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "dpop_signing_alg_values_supported": algorithms,
        ]
    }
}
