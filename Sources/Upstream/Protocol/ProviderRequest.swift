import Base
import Foundation
import OAuth
import Vocabulary

/// The authorization request to a provider (OpenID Connect Core, 3.1.2.1): code flow with PKCE (RFC 7636).
struct ProviderRequest: Sendable {
    let provider: UpstreamProvider
    let metadata: ProviderMetadata
    let state: String
    let nonce: String
    let challenge: String
    let redirectURI: String
    let wishes: LoginWishes
    let loginHint: String?
    let language: String

    var parameters: [(String, String)] {
        var pairs: [(String, String)] = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirectURI),
            ("scope", provider.scope), ("state", state), ("nonce", nonce), ("code_challenge", challenge),
            ("code_challenge_method", "S256"), ("ui_locales", language),
        ]
        if wishes.isAnew { pairs.append(("prompt", "login")) }
        if let age = wishes.demandedAge { pairs.append(("max_age", String(Int(age)))) }
        let levels = wishes.levels.map { wanted in
            provider.levels.first { $0.value == wanted.rawValue }?.key ?? wanted.rawValue
        }
        if !levels.isEmpty { pairs.append(("acr_values", levels.joined(separator: " "))) }
        if let loginHint { pairs.append(("login_hint", loginHint)) }
        return pairs
    }

    func url(_ pairs: [(String, String)]) -> String {
        let endpoint = metadata.authorizationEndpoint
        return endpoint + (endpoint.contains("?") ? "&" : "?") + FormCodec.write(pairs)
    }
}

extension LoginWishes {
    /// A login that is wanted now is one that is no second old: so the provider has to say when it was (Core, 2).
    var demandedAge: TimeInterval? { isAnew ? 0 : maxAge }
}
