import Base
import Vocabulary

/// What `/openapi.yaml` tells of the endpoints that IdP and services share, and of the server itself.
extension OpenAPISchema {
    /// Those that are there whatever runs.
    static let shared: [OpenAPISchema] = [
        .oauthError, .page, .eventStream,
        OpenAPISchema(
            "TokenResponse", "RFC 6749, 5.1; RFC 9449, 5; RFC 8693, 2.2.1; OpenID Connect Core, 3.1.3.3.",
            [
                "access_token!": "A JWT (RFC 9068); with token exchange what was asked for, be it no access token.",
                "token_type:=Bearer|DPoP|N_A!": "`DPoP`: bound to the key of the proof.",
                "expires_in:integer!": "Seconds.", "refresh_token": "For once: the answer to it has the next.",
                "scope": "What was given.", "client_id": "Of an instance that registered itself.",
                "id_token": "Where `openid` is among the scopes.",
                "issued_token_type": "What `access_token` is (RFC 8693, 2.2.1).",
            ],
            example: [
                "access_token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl", "token_type": "Bearer",
                "expires_in": 900, "scope": "reports",
            ]),
        OpenAPISchema(
            "IntrospectionRequest", "RFC 7662, 2.1.",
            first: clientMembers,
            ["token!": "Any token of this server.", "token_type_hint": "Looked at first."],
            example: ["token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"]),
        OpenAPISchema(
            "IntrospectionResponse",
            """
            RFC 7662, 2.2; of a service assertion also its claims. Where `active` is false nothing else is there.
            """,
            [
                "active:boolean!": "", "iss": "", "sub": "", "aud": "", "client_id": "", "azp": "Of an assertion.",
                "jti": "", "iat:integer": "", "exp:integer": "", "token_type": "", "scope": "",
                "cnf:object":
                    "The key that goes with it (RFC 7800).",
                "auth_time:integer": "RFC 9470, 6.2.", "acr": "RFC 9470, 6.2.", "amr:[string]": "",
                "lineage:[any]": "Of an assertion: what it stands on.",
            ], example: ["active": false]),
        OpenAPISchema(
            "RevocationRequest", "RFC 7009, 2.1.",
            first: clientMembers,
            ["token!": "", "token_type_hint": "`jti` where `token` is the jti of an assertion."],
            example: ["token": "dGhlIHJlZnJlc2ggdG9rZW4", "token_type_hint": "refresh_token"]),
        OpenAPISchema("SignedAnswer", "A JWT by a key of `/jwks.json`.", type: "string", example: jwt),
        OpenAPISchema(
            "RSDDocument", "What a service offers (RSD2; docs/join-the-federation.md).",
            [
                "engineName!": "The service's name.", "engineLink!": "", "homePageLink!": "Its base URL.",
                "engineId": "",
                "apis:object!": "By the name of each protocol, where it is spoken (`apiLink`), and how.",
            ],
            example: [
                "engineName": "Learn", "engineLink": "https://learn.example.org",
                "homePageLink": "https://learn.example.org",
                "apis": ["org.ietf.oauth2": ["apiLink": "https://learn.example.org/token"]],
            ]),
        OpenAPISchema("RSDText", "The same as XML.", type: "string"),
        OpenAPISchema(
            "ServiceList", "A line for each service: media type and address.", type: "string",
            example: "application/x-rsd+json; https://learn.example.org/rsd\n"),
        OpenAPISchema(
            "SecurityEventToken", "A JWT (RFC 8417) by a key of the identity provider.", type: "string", example: jwt),
        OpenAPISchema(
            "EventRefusal", "RFC 8935, 2.3.", ["err!": "A word for programs.", "description!": "A sentence."],
            example: ["err": "invalid_request", "description": "send application/secevent+jwt"]),
        OpenAPISchema("Health", "", ["status!:=ok": ""], example: ["status": "ok"]),
        OpenAPISchema("Description", "OpenAPI 3.1.", type: "string"),
        OpenAPISchema("Asset", "Text that pages load.", type: "string"),
        OpenAPISchema("SecurityTxt", "RFC 9116, 2.", type: "string"),
    ]

    /// How a client authenticates in the body (RFC 6749, 2.3.1; RFC 7523, 2.2).
    public static let clientMembers: Members = [
        ("client_id", "Of who asks; may be left out where something else tells it."),
        ("client_secret", "Where it is not shown by HTTP Basic: of a client that is registered with a secret."),
        ("client_assertion", "A JWT by the client's key (`private_key_jwt`)."),
        (
            "client_assertion_type",
            "`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`, with `client_assertion`."
        ),
    ]

    private static let jwt: JSONValue = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"

    /// A client that shows its key, and nothing else.
    public static let keyHolder: JSONObject = [
        "client_id": "Xh2p", "client_assertion": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    ]

    // MARK: Grants

    /// What may be sent to a token endpoint that offers `grants`: one schema for each, in their order.
    public static func tokenRequests(_ grants: [GrantType], isService: Bool) -> [OpenAPISchema] {
        let known = isService ? serviceGrants : grantRequests
        let offered = grants.compactMap { grant in known[grant].map { (grant, $0) } }
        let choices = offered.map { (value: $0.0.rawValue, schema: $0.1.name) }
        return [
            OpenAPISchema(
                isService ? "ServiceTokenRequest" : "TokenRequest", "By `grant_type`.", by: "grant_type", choices)
        ] + offered.map(\.1)
    }

    private static func grant(
        _ name: String, _ about: String, _ type: GrantType, of isClients: Bool,
        _ members: KeyValuePairs<String, String>, example: JSONObject
    ) -> OpenAPISchema {
        var example = example
        example["grant_type"] = .string(type.rawValue)
        return OpenAPISchema(
            name, about, first: [("grant_type:=\(type.rawValue)!", "")] + (isClients ? clientMembers : []), members,
            example: .object(example))
    }

    private static let code = "dGhlIGNvZGU", verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let resource = "Whom the token is for: the URL of a service (RFC 8707)."

    private static let refresh = grant(
        "RefreshTokenGrant", "RFC 6749, 6.", .refreshToken, of: true,
        ["refresh_token!": "", "scope": "At most what was given.", "resource": resource],
        example: ["refresh_token": "dGhlIHJlZnJlc2ggdG9rZW4"])

    private static let grantRequests: [GrantType: OpenAPISchema] = [
        .clientCredentials: grant(
            "ClientCredentialsGrant",
            """
            RFC 6749, 4.4. An app that installs itself registers an instance by it: its `client_assertion` is signed \
            with a version's key.
            """, .clientCredentials, of: true,
            ["scope": "Registered ones; all of them where it is left out.", "resource": resource],
            example: ["scope": "reports"]),
        .authorizationCode: grant(
            "AuthorizationCodeGrant", "RFC 6749, 4.1.3; RFC 7636, 4.5.", .authorizationCode, of: true,
            [
                "code!": "", "code_verifier": "What the challenge was made of.",
                "redirect_uri": "As it was sent to `/authorize`.", "resource": resource,
            ],
            example: [
                "code": .string(code), "code_verifier": .string(verifier),
                "redirect_uri": "https://client.example.org/callback", "client_id": "Xh2p",
            ]),
        .refreshToken: refresh,
        .tokenExchange: grant(
            "TokenExchangeGrant", "RFC 8693, 2.1: a person's token becomes an assertion for a service.",
            .tokenExchange, of: true,
            [
                "subject_token!":
                    """
                What stands for the person: the personal access token of an instance, or what a web client holds: an \
                access token, an ID token or a refresh token.
                """,
                "subject_token_type!": "Which of them it is (RFC 8693, 3).",
                "audience": "A service, by its base URL.", "resource": "The same.",
                "requested_token_type":
                    "`urn:ietf:params:oauth:token-type:jwt` or `…:id-jag`.",
            ],
            example: [
                "subject_token": "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl",
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "resource": "https://service.example.org",
            ]),
        .deviceCode: grant(
            "DeviceCodeGrant", "RFC 8628, 3.4.", .deviceCode, of: true,
            ["device_code!": "From `/device_authorization`."],
            example: ["device_code": "dGhlIGRldmljZSBjb2Rl", "client_id": "Xh2p"]),
    ]

    private static let serviceGrants: [GrantType: OpenAPISchema] = [
        .jwtBearer: grant(
            "JWTBearerGrant", "RFC 7523, 2.1: an assertion of the IdP for this service.", .jwtBearer, of: false,
            ["assertion!": "From `/authorization` of the IdP, or by token exchange."],
            example: ["assertion": "eyJ0eXAiOiJvYXV0aC1pZC1qYWcrand0IiwiYWxnIjoiRVMyNTYifQ.e30.c2lnbmF0dXJl"]),
        .authorizationCode: grant(
            "AppAuthorizationGrant", "A third-party app, by a code that the instance's key signed.", .authorizationCode,
            of: false,
            [
                "code!": "A JWT by the instance (docs/design/api.md).", "client_id": "The app's bundle id.",
                "scope": "Names of protocols.",
            ], example: ["code": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl", "client_id": "org.example.app"]),
        .refreshToken: refresh,
    ]
}
