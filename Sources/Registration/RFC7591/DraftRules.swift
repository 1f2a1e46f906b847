import Base
import Keys
import Vocabulary

/// What every client must be, whoever makes it (RFC 7591, 2; RFC 8705, 2; OpenID Connect Core, 8.1).
enum DraftRules {
    static let redirectURIs = 50
    static let webOrigins = 20
    static let keys = 32
    static let nameLength = 200
    static let grantTypes: Set<String> = Set(
        [GrantType.authorizationCode, .refreshToken, .clientCredentials, .tokenExchange, .deviceCode].map(\.rawValue))
    /// What a public client cannot have: it would be anybody's.
    private static let forAuthenticated: [GrantType] = [.clientCredentials, .tokenExchange]

    static func wantsAuthentication(_ grantType: String) -> Bool {
        forAuthenticated.contains { $0.rawValue == grantType }
    }

    /// The draft with its sector. Throws `WebClientStore.Unacceptable`.
    static func checked(_ draft: WebClientDraft) async throws -> WebClientDraft {
        guard draft.name.isEmpty || DisplayText.isFit(draft.name, longest: nameLength) else {
            throw refused(
                """
                client_name must have 1 to \(nameLength) characters, no control characters and no bidirectional \
                overrides
                """
            )
        }
        if let unknown = draft.grantTypes.first(where: { !grantTypes.contains($0) }) {
            throw refused("grant type \(unknown.prefix(80)) is not offered")
        }
        if draft.authMethod == .none,
            let grant = forAuthenticated.first(where: { draft.grantTypes.contains($0.rawValue) })
        {
            throw refused("\(grant.rawValue) needs a client that can authenticate")
        }
        if draft.metadata.allowsNonceInstead, draft.authMethod == .none {
            throw refused("a public client needs PKCE: allow_nonce_instead is for those that can authenticate")
        }
        guard Scope(draft.scope) != nil else { throw refused("scope holds characters that RFC 6749, 3.3 forbids") }
        let redirects = try uris(draft.redirectURIs, "redirect_uris", .invalidRedirectURI, draft)
        _ = try uris(draft.metadata.postLogoutRedirectURIs, "post_logout_redirect_uris", .invalidClientMetadata, draft)
        try origins(draft.metadata.webOrigins)
        try peer(draft.jwksURI, "jwks_uri")
        try peer(draft.metadata.backchannelLogoutURI, "backchannel_logout_uri")
        try peer(draft.metadata.sectorIdentifierURI, "sector_identifier_uri")
        try await keys(of: draft)
        var checked = draft
        checked.metadata.sector = try SectorIdentifier.host(of: draft, redirects)
        return checked
    }

    private static func uris(
        _ texts: [String], _ name: String, _ code: OAuthError.Code, _ draft: WebClientDraft
    ) throws -> [RedirectURI] {
        guard texts.count <= redirectURIs else {
            throw WebClientStore.Unacceptable(code, "\(name) may have \(redirectURIs) items at most")
        }
        return try texts.enumerated().map { index, text in
            do {
                return try RedirectURI(registering: text, applicationType: draft.metadata.applicationType)
            } catch {
                throw WebClientStore.Unacceptable(code, "\(name), item \(index + 1): \(error)")
            }
        }
    }

    private static func origins(_ texts: [String]) throws {
        guard texts.count <= webOrigins else { throw refused("web_origins may have \(webOrigins) items at most") }
        for (index, text) in texts.enumerated() {
            do throws(WebOrigin.Malformed) { _ = try WebOrigin(text) } catch {
                throw refused("web_origins, item \(index + 1): \(error)")
            }
        }
    }

    /// A URL that this server asks or tells: https, or plain on loopback. Who registers unasked for may not even that
    /// (`RegistrationDocument`).
    private static func peer(_ text: String?, _ name: String) throws {
        guard let text else { return }
        do {
            let uri = try StrictURI(text)
            guard uri.host != nil, uri.scheme == "https" || uri.scheme == "http" && uri.isLoopback else {
                throw refused("\(name) must be https")
            }
            guard uri.fragment == nil else { throw refused("\(name) has a fragment") }
        } catch let error as StrictURI.Malformed {
            throw refused("\(name) \(error)")
        }
    }

    private static func keys(of draft: WebClientDraft) async throws {
        guard draft.jwks == nil || draft.jwksURI == nil else { throw refused("send jwks or jwks_uri, not both") }
        let hasKeys = draft.jwks != nil || draft.jwksURI != nil
        switch draft.authMethod {
        case .privateKeyJWT, .selfSignedTLS:
            guard hasKeys else { throw refused("\(draft.authMethod.rawValue) needs either jwks or jwks_uri") }
        case .tls:
            guard draft.metadata.certificateName != nil else {
                throw refused("tls_client_auth needs exactly one tls_client_auth_… name of its certificate")
            }
        case .basic, .post, .none: break
        }
        if case .ip(let address)? = draft.metadata.certificateName, CertificateAuthentication.octets(address) == nil {
            throw refused("tls_client_auth_san_ip must be an IP address")
        }
        if draft.authMethod != .tls, draft.metadata.certificateName != nil {
            throw refused("a tls_client_auth_… name is for tls_client_auth only")
        }
        if draft.metadata.wantsSignedRequest, !hasKeys {
            throw refused("require_signed_request_object needs jwks or jwks_uri")
        }
        guard let jwks = draft.jwks else { return }
        guard (jwks.array ?? jwks["keys"]?.array ?? []).count <= keys else {
            throw refused("jwks may hold \(keys) keys at most")
        }
        let usable: [JSONWebKey]
        do { usable = try await JSONWebKey.set(jwks) } catch { throw refused("jwks: \(error)") }
        guard !usable.isEmpty else { throw refused("jwks holds no key") }
    }

    static func refused(_ description: String) -> WebClientStore.Unacceptable {
        .init(.invalidClientMetadata, description)
    }
}
