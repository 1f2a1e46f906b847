import Foundation

extension String {
    var base64: String { Data(utf8).base64EncodedString() }
}

/// A login in a browser that was begun (RFC 6749, 4.1, with RFC 7636 and RFC 9207).
public struct BrowserLogin: Sendable, Redacted {
    /// To be opened in the browser.
    public let url: String
    let redirectURI: String
    let state: String
    let pkce: PKCE

    public var description: String { "login at \(url.prefix { $0 != "?" })" }
}

extension WebClient {
    /// Begins a login. `more` are further parameters, such as `acr_values` or `prompt`.
    public func beginLogin(
        redirectURI: String, scope: String, more: [(String, String)] = []
    ) throws -> BrowserLogin {
        let pkce = PKCE(), state = Identifiers.random()
        var query = [
            ("response_type", "code"), ("client_id", id), ("redirect_uri", redirectURI), ("scope", scope),
            ("state", state), ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
        if let holder { query.append(("dpop_jkt", holder.key.thumbprint)) }
        let text = (query + more).map { "\($0.0)=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        let url = try server.endpoint("authorization_endpoint") + "?" + text
        return BrowserLogin(url: url, redirectURI: redirectURI, state: state, pkce: pkce)
    }

    /// Tokens for the URL with which the browser came back.
    /// - Throws: `OAuthError` where the login was refused, or where `state` or `iss` are another's.
    public func finish(_ login: BrowserLogin, callback: String) async throws -> Tokens {
        let items = URLComponents(string: callback)?.queryItems ?? []
        func item(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard item("state") == login.state else { throw OAuthError(400, .invalidRequest, "state is of another login") }
        guard item("iss") == server.issuer else { throw OAuthError(400, .invalidRequest, "iss is another server's") }
        guard let code = item("code") else {
            throw OAuthError(400, item("error").map(OAuthError.Code.init), item("error_description"))
        }
        return try await tokens([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", login.redirectURI),
            ("code_verifier", login.pkce.verifier),
        ])
    }
}
