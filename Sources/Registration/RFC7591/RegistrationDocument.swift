import Base
import Keys
import Vocabulary

/// A registration as it comes (RFC 7591, 2 and 3.1; OpenID Connect Registration, 2), read strictly into a draft:
/// shapes, sizes, and what its policy and this server offer. Of grant types, response types and scopes it takes what
/// is offered and leaves the rest out, as the answer tells (3.2.1): libraries ask for all that they know. What holds
/// for every client, however made, is left to `DraftRules`. Unknown members are ignored.
struct RegistrationDocument {
    /// What the server offers.
    struct Offer: Sendable {
        /// With which it signs ID tokens and userinfo.
        let algorithms: [String]
        /// Of ID tokens, for who says nothing.
        let usualAlgorithm: String
        /// For development: this server may be told to ask and call loopback addresses.
        let allowsLoopback: Bool
    }

    let draft: WebClientDraft

    private static let applicationTypes = [ClientMetadata.ApplicationType.web, .native].map(\.rawValue)
    private static let subjectTypes = [ClientMetadata.SubjectType.pairwise, .public].map(\.rawValue)
    private static let assertionAudiences = ClientMetadata.AssertionAudience.allCases.map(\.rawValue)
    private static let localizable: Set<String> = ["client_name", "client_uri", "logo_uri", "policy_uri", "tos_uri"]
    private static let translations = 20
    private static let certificateNames = ["subject_dn", "san_dns", "san_uri", "san_ip", "san_email"].map {
        "tls_client_auth_" + $0
    }
    /// Nothing is encrypted here, so nobody may believe it is.
    private static let encryption = [
        "id_token_encrypted_response_alg", "id_token_encrypted_response_enc", "userinfo_encrypted_response_alg",
        "userinfo_encrypted_response_enc",
        "request_object_encryption_alg", "request_object_encryption_enc", "authorization_encrypted_response_alg",
        "authorization_encrypted_response_enc",
        "introspection_encrypted_response_alg", "introspection_encrypted_response_enc",
    ]

    init(_ body: JSONValue, policy: RegistrationPolicy, offer: Offer) throws(OAuthError) {
        guard let members = body.object else {
            throw OAuthError(.invalidClientMetadata, "client metadata must be a JSON object")
        }
        let reader = MetadataReader(members: members)
        guard reader["software_statement"] == nil else {
            throw OAuthError(.unapprovedSoftwareStatement, "software statements are not accepted here")
        }
        if let name = Self.encryption.first(where: { reader[$0] != nil }) {
            throw reader.refused("\(name): encryption is not offered")
        }
        let methods = WebClient.AuthMethod.allCases
        let method =
            try reader.word("token_endpoint_auth_method", of: methods.map(\.rawValue)).flatMap {
                WebClient.AuthMethod(rawValue: $0)
            } ?? .basic
        var draft = WebClientDraft(
            name: try reader.text("client_name", longest: DraftRules.nameLength) ?? "", authMethod: method)
        draft.grantTypes = try Self.grantTypes(reader, policy, method)
        draft.scope = try Self.scope(reader, policy, draft.grantTypes)
        draft.redirectURIs =
            try reader.list(
                "redirect_uris", most: DraftRules.redirectURIs, longest: RedirectURI.longest,
                refusing: .invalidRedirectURI) ?? []
        if draft.grantTypes.contains(GrantType.authorizationCode.rawValue), draft.redirectURIs.isEmpty {
            throw OAuthError(.invalidRedirectURI, "authorization_code needs at least one of redirect_uris")
        }
        if let jwks = reader["jwks"] {
            guard jwks["keys"]?.array != nil else { throw reader.refused("jwks must be an object with an array keys") }
            draft.jwks = jwks
        }
        draft.jwksURI = try Self.peer("jwks_uri", reader, offer)
        draft.metadata = try Self.metadata(reader, offer)
        draft.metadata.shown = try Self.shown(reader)
        self.draft = draft
    }

    /// Those that it gets. Refused where something was asked for and nothing is left that leads to a token.
    private static func grantTypes(
        _ reader: MetadataReader, _ policy: RegistrationPolicy, _ method: WebClient.AuthMethod
    ) throws(OAuthError) -> [String] {
        let code = GrantType.authorizationCode.rawValue
        let asked = try reader.list("grant_types", most: 10, longest: 100)?.map(WireName.current) ?? [code]
        let responseTypes = try reader.list("response_types", most: 10, longest: 100)
        var given = asked.filter {
            policy.admits(grantType: $0) && (method != .none || !DraftRules.wantsAuthentication($0))
        }
        // The grant and the response type go together (2.1).
        if let responseTypes, !responseTypes.contains("code") { given.removeAll { $0 == code } }
        guard asked.isEmpty || given.contains(where: { $0 != GrantType.refreshToken.rawValue }) else {
            throw reader.refused(
                """
                of grant_types and response_types nothing is left that is given to those who register here\
                \(method == .none ? " as a public client" : "")
                """)
        }
        return given
    }

    private static func scope(
        _ reader: MetadataReader, _ policy: RegistrationPolicy, _ grantTypes: [String]
    ) throws(OAuthError) -> String {
        guard let value = reader["scope"] else { return policy.usualScope(for: grantTypes) }
        guard let text = value.string, text.utf8.count <= 2_000,
            let scope = Scope(text)
        else { throw reader.refused("scope must be a string of scope names between blanks") }
        // Those are given to nobody here, whatever an invitation says.
        return Scope(names: scope.names.filter { policy.admits(scope: $0) && !AdminScope.isOne($0) }).description
    }

    private static func metadata(_ reader: MetadataReader, _ offer: Offer) throws(OAuthError) -> ClientMetadata {
        var metadata = ClientMetadata()
        metadata.applicationType =
            try reader.word("application_type", of: applicationTypes).flatMap { .init(rawValue: $0) } ?? .web
        metadata.subjectType =
            try reader.word("subject_type", of: subjectTypes).flatMap { .init(rawValue: $0) } ?? .pairwise
        metadata.sectorIdentifierURI = try peer("sector_identifier_uri", reader, offer)
        metadata.postLogoutRedirectURIs =
            try reader.list("post_logout_redirect_uris", most: DraftRules.redirectURIs, longest: RedirectURI.longest)
            ?? []
        metadata.webOrigins =
            try reader.list("web_origins", most: DraftRules.webOrigins, longest: WebOrigin.longest) ?? []
        metadata.backchannelLogoutURI = try peer("backchannel_logout_uri", reader, offer)
        metadata.wantsSessionInLogout = try reader.flag("backchannel_logout_session_required")
        metadata.idTokenAlgorithm = try reader.word("id_token_signed_response_alg", of: offer.algorithms)
        metadata.userinfoAlgorithm = try reader.word("userinfo_signed_response_alg", of: offer.algorithms)
        let verifiable = SigningAlgorithm.allCases.map(\.rawValue)
        metadata.requestObjectAlgorithm = try reader.word("request_object_signing_alg", of: verifiable)
        metadata.assertionAlgorithm = try reader.word("token_endpoint_auth_signing_alg", of: verifiable)
        metadata.assertionAudience =
            try reader.word("assertion_audience", of: assertionAudiences).flatMap { .init(rawValue: $0) } ?? .issuer
        metadata.wantsSignedRequest = try reader.flag("require_signed_request_object")
        metadata.wantsPushedRequest = try reader.flag("require_pushed_authorization_requests")
        metadata.isDPoPBound = try reader.flag("dpop_bound_access_tokens")
        metadata.isCertificateBound = try reader.flag("tls_client_certificate_bound_access_tokens")
        metadata.certificateName = try certificateName(reader)
        metadata.defaultMaxAge = try reader.seconds("default_max_age")
        metadata.defaultACR = try reader.list("default_acr_values", most: 10, longest: 255) ?? []
        return metadata
    }

    private static func certificateName(_ reader: MetadataReader) throws(OAuthError) -> ClientMetadata.CertificateName?
    {
        let given = certificateNames.filter { reader[$0] != nil }
        guard given.count <= 1 else {
            throw reader.refused("send one of \(given.joined(separator: ", ")), not several")
        }
        guard let name = given.first, let value = try reader.string(name, longest: 1_000) else { return nil }
        return ClientMetadata.CertificateName([name: .string(value)])
    }

    /// A URL that this server will ask or call, named by a stranger: nothing on this machine, and no bare address that
    /// would be of this network. A name may still lead there, so whoever connects looks at the address too.
    private static func peer(_ name: String, _ reader: MetadataReader, _ offer: Offer) throws(OAuthError) -> String? {
        guard let text = try reader.string(name, longest: 2_000) else { return nil }
        if offer.allowsLoopback { return text }
        guard let uri = try? StrictURI(text), uri.scheme == "https", let host = uri.host else {
            throw reader.refused("\(name) must be an https URL")
        }
        guard !uri.isLoopback, !host.hasSuffix(".localhost"), !host.hasPrefix("["),
            host.split(separator: ".").last.flatMap({ Int($0) }) == nil
        else {
            throw reader.refused("\(name) must name a host, not an address")
        }
        return text
    }

    private static func shown(_ reader: MetadataReader) throws(OAuthError) -> JSONObject {
        var shown = JSONObject()
        for name in ["client_uri", "logo_uri", "policy_uri", "tos_uri"] {
            shown[name] = try reader.page(name).map(JSONValue.string)
        }
        shown["initiate_login_uri"] = try reader.page("initiate_login_uri", orLoopback: true).map(JSONValue.string)
        if let contacts = try reader.list("contacts", most: 10, longest: 254) {
            guard contacts.allSatisfy({ DisplayText.isFit($0, longest: 254) }) else {
                throw reader.refused("contacts must be free of control characters and bidirectional overrides")
            }
            shown["contacts"] = JSONValue(strings: contacts)
        }
        for name in ["software_id", "software_version"] {
            shown[name] = try reader.text(name, longest: 255).map(JSONValue.string)
        }
        for (name, value) in try translations(reader) { shown[name] = value }
        return shown
    }

    /// Human-readable members in other languages (RFC 7591, 2.2), e.g. `client_name#de-CH`.
    private static func translations(_ reader: MetadataReader) throws(OAuthError) -> [(String, JSONValue)] {
        var found: [(String, JSONValue)] = []
        for (name, value) in reader.members where value != .null {
            let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, localizable.contains(String(parts[0])) else { continue }
            guard found.count < translations else {
                throw reader.refused("at most \(translations) members in other languages")
            }
            guard parts[1].utf8.count <= 35, parts[1].wholeMatch(of: #/[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*/#) != nil
            else {
                throw reader.refused("what follows the # of \(parts[0])# must be a language tag (RFC 5646)")
            }
            let text =
                parts[0] == "client_name"
                ? try reader.text(name, longest: DraftRules.nameLength) : try reader.page(name)
            if let text { found.append((name, .string(text))) }
        }
        return found
    }
}
