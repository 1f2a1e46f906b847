import Base

/// A refusal as OAuth spells it (RFC 6749, 5.2; RFC 6750, 3.1; RFC 9449, 5 and 7.1; RFC 8707, 2; RFC 8693, 2.2.2; RFC
/// 7591, 3.2.2; RFC 8628, 3.5; RFC 9101, 7; RFC 9470, 3; draft-ietf-oauth-first-party-apps; OpenID Connect Core,
/// 3.1.2.6; OpenID Connect Unmet Authentication Requirements; OpenID Federation 1.0, 8.9, and its Extended Subordinate
/// Listing).
///
/// `description` goes on the wire and tells the caller what to do; `cause` goes to the log and may tell more, but never
/// a secret.
public struct OAuthError: Error, Sendable, Equatable {
    public enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case accessDenied = "access_denied"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case invalidProof = "invalid_dpop_proof"
        case useNonce = "use_dpop_nonce"
        case invalidTarget = "invalid_target"
        case insufficientAuthorization = "insufficient_authorization"
        case invalidSession = "invalid_session"
        case tooManyAttempts = "slow_down"
        case forbidden = "forbidden"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case tooLarge = "too_large"
        case unsupportedMediaType = "unsupported_media_type"
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        case unapprovedSoftwareStatement = "unapproved_software_statement"
        case authorizationPending = "authorization_pending"
        case expiredToken = "expired_token"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        case accountSelectionRequired = "account_selection_required"
        case invalidRequestObject = "invalid_request_object"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case unmetAuthentication = "unmet_authentication_requirements"
        case insufficientAuthentication = "insufficient_user_authentication"
        case invalidIssuer = "invalid_issuer"
        case invalidTrustAnchor = "invalid_trust_anchor"
        case unsupportedParameter = "unsupported_parameter"
        case pageNotFound = "page_not_found"
        case entityNotFound = "entity_id_not_found"

        /// The status that the defining RFC gives, or the one of HTTP's own words (RFC 9110, 15).
        public var status: Int {
            switch self {
            case .invalidRequest, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .unsupportedResponseType,
                .invalidScope,
                .invalidProof, .useNonce, .invalidRedirectURI, .invalidClientMetadata, .unapprovedSoftwareStatement,
                .authorizationPending, .expiredToken,
                .loginRequired, .consentRequired, .interactionRequired, .accountSelectionRequired,
                .invalidRequestObject, .requestNotSupported,
                .requestURINotSupported, .unmetAuthentication, .unsupportedParameter, .entityNotFound, .invalidSession:
                400
            case .invalidClient, .invalidToken, .insufficientAuthentication: 401
            case .accessDenied, .insufficientScope, .insufficientAuthorization, .forbidden: 403
            case .invalidTarget, .notFound, .invalidIssuer, .invalidTrustAnchor, .pageNotFound: 404
            case .methodNotAllowed: 405
            case .tooLarge: 413
            case .unsupportedMediaType: 415
            case .tooManyAttempts: 429
            case .serverError: 500
            case .temporarilyUnavailable: 503
            }
        }
    }

    public let code: Code
    public let description: String
    public let cause: String?
    /// Replaces the code's own status where a specification says so, e.g. `invalid_target` at a token endpoint is 400.
    public let statusOverride: Int?
    /// Seconds after which trying again makes sense.
    public let retryAfter: Int?
    /// Further members of the body, e.g. `auth_session`.
    public let members: [String: String]
    /// Those that are more than text, e.g. `factors`.
    public let more: JSONObject
    /// Who asked, as they name themselves: for the log, never on the wire.
    public private(set) var client: String?
    /// What is told of a limit, of this refusal or beside it.
    public private(set) var limit: ServiceLimit?
    /// It comes in floods, and somebody counts it: a line of the log for each would be one more flood.
    public private(set) var isTallied = false

    public init(
        _ code: Code, _ description: String, cause: String? = nil, status: Int? = nil, retryAfter: Int? = nil,
        members: [String: String] = [:],
        more: JSONObject = [:]
    ) {
        (self.code, self.description, self.cause) = (code, description, cause)
        (statusOverride, self.retryAfter, self.members, self.more) = (status, retryAfter, members, more)
    }

    public var status: Int { statusOverride ?? code.status }

    /// The same for the log of who asked, if that is not known already. Nobody has shown that it is their name: what
    /// could end a line or fill the log is left out.
    public func asked(by client: String?) -> OAuthError {
        guard let client, self.client == nil else { return self }
        var refusal = self
        refusal.client = OAuthError.logged(client)
        return refusal
    }

    /// The same with what is told of a limit, if nothing is told yet.
    public func beside(_ limit: ServiceLimit) -> OAuthError {
        guard self.limit == nil else { return self }
        var refusal = self
        refusal.limit = limit
        return refusal
    }

    public var tallied: OAuthError {
        var refusal = self
        refusal.isTallied = true
        return refusal
    }

    /// 429, for who asked more than `limit` allows.
    public static func exceeded(_ limit: ServiceLimit, _ description: String, cause: String? = nil) -> OAuthError {
        OAuthError(.tooManyAttempts, description, cause: cause, retryAfter: limit.reset).beside(limit)
    }

    /// A name of somebody's making: at most 64 letters, printable ASCII. Not one with the form of our secrets, as of
    /// somebody who mixed up the two.
    public static func logged(_ name: String) -> String {
        let letters = name.unicodeScalars.prefix(65).map { (0x21...0x7E).contains($0.value) ? Character($0) : "?" }
        if letters.count == 43, letters.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) {
            return "(43-letters-as-of-a-secret)"
        }
        return letters.count > 64 ? String(letters.prefix(63)) + "~" : String(letters)
    }
}
