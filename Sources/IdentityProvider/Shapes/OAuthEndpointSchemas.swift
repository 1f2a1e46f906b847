import Base
import HTTP

/// What OAuth's endpoints that the IdP alone has take and tell.
extension OpenAPISchema {
    static let oauthEndpoints: [OpenAPISchema] =
        (assertions + authorization + people).exemplified(by: IdentityProviderExamples.people)

    private static let token = JSONValue.string("eyJ0eXAiOiJvYXV0aC1pZC1qYWcrand0IiwiYWxnIjoiRVMyNTYifQ.e30.c2ln")

    private static let assertions = [
        OpenAPISchema(
            "AssertionRequest", "For which service; `redirect_uri` or `resource` must be there.",
            [
                "response_type:=code": "Or `request_type`, as eduID's apps have it.", "request_type:=code": "",
                "redirect_uri": "The service's base URL.", "resource": "The same.", "state": "Comes back.",
                "client_id": "May repeat the instance.",
            ], example: ["response_type": "code", "resource": "https://service.example.org"]),
        OpenAPISchema(
            "ServiceAssertion", "To be redeemed once, within five minutes.",
            ["code!": "The assertion, a JWT.", "redirect_uri!": "The service's token endpoint.", "state": ""],
            example: ["code": token, "redirect_uri": "https://service.example.org/token"]),
        OpenAPISchema(
            "ValidationRequest", "", first: clientMembers, ["jti!": "Of the assertion."], example: ["jti": "S5W-oEJtIr"]
        ),
        OpenAPISchema(
            "ValidatedAssertion", "",
            ["sub:string?!": "", "azp:string?!": "", "iat:integer!": "", "email:string?": ""],
            example: ["sub": "q1w2e3", "azp": "org.example.app", "iat": 1_795_000_000]),
    ]

    private static let authorization = [
        OpenAPISchema(
            "AuthorizationRequest", "RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core, 3.1.2.1; RFC 8707, 2.",
            first: clientMembers,
            [
                "response_type:=code": "", "redirect_uri": "A registered one.", "scope": "", "state": "Comes back.",
                "code_challenge": "PKCE.", "code_challenge_method:=S256": "", "nonce": "", "prompt": "", "max_age": "",
                "acr_values": "", "claims": "JSON (OpenID Connect Core, 5.5).", "login_hint": "", "id_token_hint": "",
                "institution": "Our own: at whose provider the person logs in.",
                "ui_locales": "",
                "resource:string/[string]": "For which services, by their base URLs; in a form once for each.",
                "dpop_jkt": "Thumbprint of a key.",
                "request": "All of it as a signed JWT (RFC 9101).", "response_mode:=query": "",
            ],
            example: [
                "client_id": "Xh2p", "response_type": "code", "redirect_uri": "https://client.example.org/callback",
                "scope": "openid", "state": "af0ifjsldkj",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
            ]),
        OpenAPISchema(
            "PushedRequest", "RFC 9126, 2.2.",
            ["request_uri!": "For `/authorize`, once.", "expires_in:integer!": "Seconds."],
            example: ["request_uri": "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY", "expires_in": 60]),
        OpenAPISchema(
            "DeviceAuthorizationRequest", "RFC 8628, 3.1.", first: clientMembers,
            [
                "scope": "",
                "resource": "The issuer, or a part of it that takes tokens of its own (RFC 8707), as /admin/api/v1.",
                "max_age": "Seconds: a person whose login is older logs in anew.",
            ],
            example: ["client_id": "Xh2p", "scope": "openid"]),
        OpenAPISchema(
            "DeviceAuthorization", "RFC 8628, 3.2.",
            [
                "device_code!": "For `/token`.", "user_code!": "For the person.",
                "verification_uri!": "Where it is typed.",
                "verification_uri_complete!": "The same with the code, to be shown as a picture.",
                "expires_in:integer!": "Seconds.", "interval:integer!": "Seconds between two questions.",
            ],
            example: [
                "device_code": "dGhlIGRldmljZSBjb2Rl", "user_code": "WDJB-MJHT",
                "verification_uri": "https://id.example.org/device",
                "verification_uri_complete": "https://id.example.org/device?user_code=WDJB-MJHT", "expires_in": 600,
                "interval": 5,
            ]),
        KeySetRoutes.schema,
    ]

    private static let people = [
        OpenAPISchema(
            "UserInfo", "OpenID Connect Core, 5.3.2: what the scopes, the client and the person let be told.",
            [
                "sub!": "", "name:string?": "", "given_name:string?": "", "family_name:string?": "",
                "preferred_username:string?": "", "email:string?": "", "email_verified:boolean?": "",
            ], example: ["sub": "q1w2e3", "name": "Ada Keller"]),
        OpenAPISchema("Identities", "The core one is the first.", type: "[Identity]"),
        OpenAPISchema(
            "Identity", "As eduID's apps know it.",
            [
                "userid!": "", "mailaddress!:string?": "", "extra!:object": "`name`, `given_name`, `family_name`.",
                "idp_uuid": "", "invalid:boolean": "",
            ]),
        OpenAPISchema(
            "UsedServices", "Base URLs, the one that was used last first.", type: "[string]",
            example: ["https://learn.example.org"]),
        OpenAPISchema("Instances", "Those that are live.", type: "[Instance]"),
        OpenAPISchema(
            "Instance", "An app on a device.",
            [
                "id!": "", "name!:string?": "", "device_type!:string?": "", "os_version!:string?": "", "app!": "",
                "version!:string?": "", "created_at!": "RFC 3339.", "last_seen!:string?": "RFC 3339.",
                "current!:boolean": "It is the one that asks.",
            ]),
        OpenAPISchema(
            "InstanceChange", "1 to 800 bytes each; what is left out stays.",
            ["name": "", "device_type": "", "os_version": ""], example: ["name": "Ada's phone"]),
    ]
}
