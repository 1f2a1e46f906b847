import Base

/// What a client says of itself besides grants, redirects and keys (RFC 7591, 2; OpenID Connect Registration 1.0, 2;
/// RP-Initiated Logout, 3.1; Back-Channel Logout, 2.2; RFC 9449, 5.2; RFC 8705, 2 and 3.4; RFC 9126, 6; RFC 9101,
/// 10.5). A pure value: who registers it checks it.
public struct ClientMetadata: Sendable, Equatable {
    public enum ApplicationType: String, Sendable { case web, native }
    public enum SubjectType: String, Sendable { case pairwise, `public` }
    /// Whom its client assertions name: this server, or the endpoint that they are sent to as well (of our own).
    public enum AssertionAudience: String, Sendable, CaseIterable { case issuer, endpoint }

    /// How `tls_client_auth` knows the certificate (RFC 8705, 2.1.2): exactly one of them.
    public enum CertificateName: Sendable, Equatable {
        case subject(String)
        case dns(String)
        case uri(String)
        case ip(String)
        case email(String)
    }

    public var applicationType = ApplicationType.web
    public var subjectType = SubjectType.pairwise
    public var sectorIdentifierURI: String?
    /// Host that pairwise subjects are made for (OpenID Connect Core, 8.1); `nil` for a client without redirect URIs,
    /// or with the device grant, which is its own sector.
    public var sector: String?
    public var postLogoutRedirectURIs: [String] = []
    /// Origins of its pages that may call this server from a browser (Fetch, 3.2; our own member).
    public var webOrigins: [String] = []
    public var backchannelLogoutURI: String?
    /// The logout token must name the session; ours always do.
    public var wantsSessionInLogout = false
    public var idTokenAlgorithm: String?
    /// `nil` for a plain JSON answer.
    public var userinfoAlgorithm: String?
    public var requestObjectAlgorithm: String?
    /// Of its client assertions; `nil` for any.
    public var assertionAlgorithm: String?
    public var assertionAudience = AssertionAudience.issuer
    /// Whether the `nonce` of its requests may stand in for PKCE (RFC 9700, 2.1.1). The operator says it, no client of
    /// itself.
    public var allowsNonceInstead = false
    public var wantsSignedRequest = false
    public var wantsPushedRequest = false
    public var isDPoPBound = false
    public var isCertificateBound = false
    public var certificateName: CertificateName?
    /// Seconds (OpenID Connect Registration, 2 `default_max_age`).
    public var defaultMaxAge: Int?
    public var defaultACR: [String] = []
    /// For people: `client_uri`, `logo_uri`, `policy_uri`, `tos_uri`, `contacts`, `software_id`, `software_version`,
    /// `initiate_login_uri`, and the names in other languages (`client_name#de`), as they were registered.
    public var shown: JSONObject = [:]

    public init() {}
}

extension ClientMetadata {
    /// Reads what `json` wrote: names as RFC 7591 registers them, values taken to be checked already.
    public init(stored members: JSONObject) {
        applicationType = members["application_type"]?.string.flatMap { ApplicationType(rawValue: $0) } ?? .web
        subjectType = members["subject_type"]?.string.flatMap { SubjectType(rawValue: $0) } ?? .pairwise
        (sectorIdentifierURI, sector) = (members["sector_identifier_uri"]?.string, members["sector"]?.string)
        postLogoutRedirectURIs = members["post_logout_redirect_uris"]?.strings ?? []
        webOrigins = members["web_origins"]?.strings ?? []
        backchannelLogoutURI = members["backchannel_logout_uri"]?.string
        (idTokenAlgorithm, userinfoAlgorithm) = (
            members["id_token_signed_response_alg"]?.string, members["userinfo_signed_response_alg"]?.string
        )
        requestObjectAlgorithm = members["request_object_signing_alg"]?.string
        assertionAlgorithm = members["token_endpoint_auth_signing_alg"]?.string
        assertionAudience =
            members["assertion_audience"]?.string.flatMap { AssertionAudience(rawValue: $0) } ?? .issuer
        allowsNonceInstead = members["allow_nonce_instead"] == true
        wantsSessionInLogout = members["backchannel_logout_session_required"] == true
        wantsSignedRequest = members["require_signed_request_object"] == true
        wantsPushedRequest = members["require_pushed_authorization_requests"] == true
        isDPoPBound = members["dpop_bound_access_tokens"] == true
        isCertificateBound = members["tls_client_certificate_bound_access_tokens"] == true
        certificateName = CertificateName(members)
        if case .integer(let seconds)? = members["default_max_age"] { defaultMaxAge = seconds }
        defaultACR = members["default_acr_values"]?.strings ?? []
        shown = members.filtered { ClientMetadata.isShown($0) }
    }

    /// Members as they go into the row, and out to the client but for `sector`.
    public var json: JSONObject {
        var members = shown
        members["application_type"] = .string(applicationType.rawValue)
        members["subject_type"] = .string(subjectType.rawValue)
        for (name, value) in [
            ("sector_identifier_uri", sectorIdentifierURI), ("sector", sector),
            ("backchannel_logout_uri", backchannelLogoutURI),
            ("id_token_signed_response_alg", idTokenAlgorithm), ("userinfo_signed_response_alg", userinfoAlgorithm),
            ("request_object_signing_alg", requestObjectAlgorithm),
            ("token_endpoint_auth_signing_alg", assertionAlgorithm),
        ] {
            members[name] = value.map(JSONValue.string)
        }
        if assertionAudience != .issuer { members["assertion_audience"] = .string(assertionAudience.rawValue) }
        if !postLogoutRedirectURIs.isEmpty {
            members["post_logout_redirect_uris"] = JSONValue(strings: postLogoutRedirectURIs)
        }
        if !webOrigins.isEmpty { members["web_origins"] = JSONValue(strings: webOrigins) }
        for (name, value) in [
            ("require_signed_request_object", wantsSignedRequest),
            ("require_pushed_authorization_requests", wantsPushedRequest),
            ("backchannel_logout_session_required", wantsSessionInLogout),
            ("dpop_bound_access_tokens", isDPoPBound), ("allow_nonce_instead", allowsNonceInstead),
            ("tls_client_certificate_bound_access_tokens", isCertificateBound),
        ] where value {
            members[name] = true
        }
        if let (name, value) = certificateName?.member { members[name] = .string(value) }
        if let defaultMaxAge { members["default_max_age"] = .integer(defaultMaxAge) }
        if !defaultACR.isEmpty { members["default_acr_values"] = JSONValue(strings: defaultACR) }
        return members
    }

    /// Members that only people look at.
    public static func isShown(_ name: String) -> Bool {
        let plain = name.split(separator: "#", maxSplits: 1).first.map(String.init) ?? name
        return [
            "client_uri", "logo_uri", "policy_uri", "tos_uri", "contacts", "software_id", "software_version",
            "initiate_login_uri",
        ].contains(plain)
            || name.hasPrefix("client_name#")
    }

    /// The registered name in the first of these languages that it has (RFC 7591, 2.2), e.g. `["de", "en"]`.
    public func name(in languages: [String]) -> String? {
        languages.lazy.compactMap { shown["client_name#\($0)"]?.string }.first
    }
}

extension ClientMetadata.CertificateName {
    public init?(_ members: JSONObject) {
        if let name = members["tls_client_auth_subject_dn"]?.string {
            self = .subject(name)
        } else if let name = members["tls_client_auth_san_dns"]?.string {
            self = .dns(name)
        } else if let name = members["tls_client_auth_san_uri"]?.string {
            self = .uri(name)
        } else if let name = members["tls_client_auth_san_ip"]?.string {
            self = .ip(name)
        } else if let name = members["tls_client_auth_san_email"]?.string {
            self = .email(name)
        } else {
            return nil
        }
    }

    /// Name and value on the wire.
    public var member: (String, String) {
        switch self {
        case .subject(let name): ("tls_client_auth_subject_dn", name)
        case .dns(let name): ("tls_client_auth_san_dns", name)
        case .uri(let name): ("tls_client_auth_san_uri", name)
        case .ip(let name): ("tls_client_auth_san_ip", name)
        case .email(let name): ("tls_client_auth_san_email", name)
        }
    }
}
