import Base
import Foundation
import Registration
import Vocabulary

/// An authorization request, checked (RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core, 3.1.2.1; RFC 8707, 2.1; RFC
/// 9449, 10).
public struct AuthorizationParameters: Sendable {
    public enum Prompt: String, Sendable, CaseIterable { case none, login, consent, selectAccount = "select_account" }

    public let client: WebClient
    public let target: RedirectTarget
    /// Whether the request named its redirect URI: then the token request must name it too (RFC 6749, 4.1.3).
    let namesRedirectURI: Bool
    public let scope: Scope
    let nonce: String?
    /// `nil` where the nonce stands in for it (RFC 9700, 2.1.1).
    let challenge: CodeChallenge?
    let prompts: Set<Prompt>
    /// Seconds.
    let maxAge: TimeInterval?
    public let loginHint: String?
    let wantedLevels: [AuthenticationContext.Level]
    /// The level is a condition, not a wish: `acr` asked for as essential (OpenID Connect Core, 5.5.1.1).
    let requiresLevel: Bool
    public let uiLocales: String?
    let claims: ClaimsRequest
    let idTokenHint: String?
    /// As they were named; see `RequestedResources`.
    let resources: [String]
    /// Thumbprint of the key to which code and tokens will be bound.
    let dpopKey: String?
    /// At whose provider the person should log in, by its id; a parameter of our own, which is a wish.
    public let institution: String?

    /// Claims asked for one by one, of either answer.
    public var singleClaims: [String] { claims.idToken + claims.userInfo }

    /// The longest `state` and `nonce`, in bytes.
    static let longest = 8_192

    /// `client` and the redirect URI are verified first; every later refusal goes back to the client.
    init(_ parameters: OAuthParameters, client: WebClient, issuer: String) throws(AuthorizationRefusal) {
        let named: String?, state: String?
        do {
            (named, state) = (try parameters["redirect_uri"], try parameters["state"])
        } catch { throw .page(error) }
        self.client = client
        namesRedirectURI = named != nil
        guard let redirectURI = AuthorizationParameters.redirectURI(named, of: client) else {
            throw .page(
                OAuthError(
                    .invalidRequest,
                    named == nil
                        ? "redirect_uri is missing" : "redirect_uri is none of those that this client registered"))
        }
        // What is too long to be sent back is not.
        guard (state?.utf8.count ?? 0) <= AuthorizationParameters.longest else {
            throw .page(OAuthError(.invalidRequest, "state is too long"))
        }
        let target = RedirectTarget(redirectURI: redirectURI, state: state, issuer: issuer)
        self.target = target
        do {
            guard client.grantTypes.contains(GrantType.authorizationCode.rawValue) else {
                throw OAuthError(.unauthorizedClient, "this client is not registered for authorization_code")
            }
            guard try parameters.required("response_type") == "code" else {
                throw OAuthError(.unsupportedResponseType, "response_type must be code")
            }
            guard try parameters["response_mode"] ?? "query" == "query" else {
                throw OAuthError(.invalidRequest, "response_mode must be query")
            }
            guard try parameters["registration"] == nil else {
                throw OAuthError(.invalidRequest, "the registration parameter is not taken")
            }
            challenge = try AuthorizationParameters.challenge(parameters, of: client)
            scope = try RequestedScope.narrowed(try parameters["scope"], to: client)
            nonce = try AuthorizationParameters.text("nonce", parameters, longest: AuthorizationParameters.longest)
            guard challenge != nil || nonce != nil && scope.contains("openid") else {
                throw OAuthError(
                    .invalidRequest,
                    "without code_challenge (RFC 7636) this client needs nonce and scope openid, to check the ID token")
            }
            (loginHint, uiLocales) = (
                try AuthorizationParameters.text("login_hint", parameters, longest: 255),
                try AuthorizationParameters.text("ui_locales", parameters, longest: 255)
            )
            prompts = try AuthorizationParameters.prompts(parameters)
            maxAge =
                try AuthorizationParameters.maxAge(parameters) ?? client.metadata.defaultMaxAge.map(TimeInterval.init)
            claims = try ClaimsRequest(try parameters["claims"])
            let values =
                try parameters["acr_values"]?.split(separator: " ").map(String.init) ?? claims.levels
                ?? client.metadata.defaultACR
            wantedLevels = values.compactMap { AuthenticationContext.Level(rawValue: $0) }
            requiresLevel = claims.requiresLevel
            if requiresLevel, wantedLevels.isEmpty {
                throw OAuthError(.unmetAuthentication, "none of the acr values asked for is known here")
            }
            idTokenHint = try parameters["id_token_hint"]
            resources = try AuthorizationParameters.resources(parameters)
            dpopKey = try AuthorizationParameters.thumbprint(parameters)
            institution = try AuthorizationParameters.text("institution", parameters, longest: 64)
        } catch let error as OAuthError {
            throw .redirect(error, target)
        } catch {
            throw .redirect(OAuthError(.invalidRequest, "the request cannot be understood"), target)
        }
    }

    /// One registered URI may be left unnamed (RFC 6749, 3.1.2.3); OpenID Connect wants it named, and so does having
    /// several.
    private static func redirectURI(_ named: String?, of client: WebClient) -> String? {
        if let named { return client.accepts(redirectURI: named) ? named : nil }
        return client.redirectURIs.count == 1 ? client.redirectURIs.first : nil
    }

    /// `nil` where neither parameter is there and the client may do without.
    private static func challenge(
        _ parameters: OAuthParameters, of client: WebClient
    ) throws(OAuthError) -> CodeChallenge? {
        let method = try parameters["code_challenge_method"]
        if method == nil, try parameters["code_challenge"] == nil, client.admitsNonceInstead { return nil }
        guard method == "S256",
            let challenge = CodeChallenge(try parameters.required("code_challenge"))
        else {
            throw OAuthError(
                .invalidRequest,
                "PKCE is required: code_challenge_method S256 and a code_challenge of 43 letters (RFC 7636)")
        }
        return challenge
    }

    /// What waits for its person asks for no more than was there when it was asked: the client may be registered for
    /// more by the time that they agree. A scope without words is a blank, as an empty one counts as absent and would
    /// be all that is registered by then.
    func narrowed(_ parameters: OAuthParameters) -> OAuthParameters {
        parameters.adding("scope", scope.isEmpty ? " " : scope.description)
    }

    private static func resources(_ parameters: OAuthParameters) throws(OAuthError) -> [String] {
        let resources = try parameters.resources
        guard resources.allSatisfy({ $0.utf8.count <= 2_048 }) else {
            throw OAuthError(.invalidTarget, "resource is too long")
        }
        return resources
    }

    private static func text(_ name: String, _ parameters: OAuthParameters, longest: Int) throws(OAuthError) -> String?
    {
        guard let text = try parameters[name] else { return nil }
        guard text.utf8.count <= longest else { throw OAuthError(.invalidRequest, "\(name) is too long") }
        return text
    }

    private static func prompts(_ parameters: OAuthParameters) throws(OAuthError) -> Set<Prompt> {
        let words = try parameters["prompt"]?.split(separator: " ") ?? []
        let prompts = words.compactMap { Prompt(rawValue: String($0)) }
        guard prompts.count == words.count else {
            throw OAuthError(.invalidRequest, "prompt takes none, login, consent, select_account")
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw OAuthError(.invalidRequest, "prompt=none stands alone")
        }
        return Set(prompts)
    }

    private static func maxAge(_ parameters: OAuthParameters) throws(OAuthError) -> TimeInterval? {
        guard let text = try parameters["max_age"] else { return nil }
        guard let seconds = Int(text), (0...31_536_000).contains(seconds) else {
            throw OAuthError(.invalidRequest, "max_age is a number of seconds")
        }
        return TimeInterval(seconds)
    }

    private static func thumbprint(_ parameters: OAuthParameters) throws(OAuthError) -> String? {
        guard let thumbprint = try parameters["dpop_jkt"] else { return nil }
        guard Base64URL.decode(thumbprint)?.count == 32 else {
            throw OAuthError(.invalidRequest, "dpop_jkt is a SHA-256 thumbprint, base64url")
        }
        return thumbprint
    }
}
