import Base
import HTTP

/// Metadata of clients as RFC 7591 and OpenID Connect Registration have it.
extension OpenAPISchema {
    static let registrations = [
        OpenAPISchema(
            "ClientMetadata",
            "RFC 7591, 2. Members in other languages as `client_name#de`; unknown ones are ignored.",
            first: metadata, [:], example: example),
        OpenAPISchema(
            "ClientUpdate", "All of the metadata, with the client's own id and, where it shows it, its secret.",
            first: [("client_id!", ""), ("client_secret", "As it is; it cannot be chosen.")] + metadata, [:],
            example: update),
        OpenAPISchema(
            "ClientInformation", "RFC 7591, 3.2.1; RFC 7592, 3: what was registered holds, and nothing else.",
            first: [
                ("client_id!", ""), ("client_secret", "Told where it was made just now."),
                ("client_id_issued_at:integer!", ""), ("client_secret_expires_at:integer", "0: never."),
                ("registration_client_uri!", "Where the registration is read, replaced and ended."),
                ("registration_access_token!", "For that address."),
            ] + metadata, [:], example: information),
    ]

    private static let example: JSONValue = [
        "client_name": "Learning platform", "redirect_uris": ["https://client.example.org/callback"],
        "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "client_secret_basic",
    ]

    private static let update: JSONValue = [
        "client_id": "Xh2p", "client_name": "Learning platform",
        "redirect_uris": ["https://client.example.org/callback", "https://client.example.org/other"],
        "grant_types": ["authorization_code", "refresh_token"],
    ]

    private static let information: JSONValue = [
        "client_id": "Xh2p", "client_secret": "dGhlIHNlY3JldA", "client_id_issued_at": 1_795_000_000,
        "client_secret_expires_at": 0, "registration_client_uri": "https://id.example.org/register/Xh2p",
        "registration_access_token": "dGhlIHJlZ2lzdHJhdGlvbg", "client_name": "Learning platform",
        "redirect_uris": ["https://client.example.org/callback"],
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_basic", "subject_type": "pairwise",
    ]

    private static let metadata: Members = [
        ("client_name", "For people."), ("redirect_uris:[string]", ""), ("grant_types:[string]", ""),
        ("response_types:[string]", ""), ("scope", "With blanks between."),
        ("token_endpoint_auth_method", ""), ("token_endpoint_auth_signing_alg", ""),
        ("jwks:object", "Keys of the client (RFC 7517)."), ("jwks_uri", ""),
        ("application_type:=web|native", ""), ("subject_type:=pairwise|public", ""), ("sector_identifier_uri", ""),
        ("post_logout_redirect_uris:[string]", ""), ("backchannel_logout_uri", ""),
        ("backchannel_logout_session_required:boolean", ""),
        ("id_token_signed_response_alg", ""), ("userinfo_signed_response_alg", ""), ("request_object_signing_alg", ""),
        ("require_signed_request_object:boolean", ""), ("require_pushed_authorization_requests:boolean", ""),
        ("dpop_bound_access_tokens:boolean", ""), ("tls_client_certificate_bound_access_tokens:boolean", ""),
        ("tls_client_auth_subject_dn", "RFC 8705, 2.1.2; one of the five."), ("tls_client_auth_san_dns", ""),
        ("tls_client_auth_san_uri", ""), ("tls_client_auth_san_ip", ""), ("tls_client_auth_san_email", ""),
        ("default_max_age:integer", ""), ("default_acr_values:[string]", ""),
        ("client_uri", ""), ("logo_uri", ""), ("policy_uri", ""), ("tos_uri", ""), ("contacts:[string]", ""),
        ("software_id", ""), ("software_version", ""), ("initiate_login_uri", ""),
        ("web_origins:[string]", "From which pages of the client call this server."),
        ("assertion_audience:=issuer|endpoint", "What `aud` of its client assertions is."),
    ]
}
