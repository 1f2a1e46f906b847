import Foundation
import PandoClient

/// A service token that the check got, with all that asking for app tokens needs.
struct ServiceToken: Sendable {
    let tokens: Tokens
    let instance: String
    let holder: KeyHolder

    /// The code by which the installation asks for a token for `bundle` (docs/join-the-federation.md, "4. Issue a
    /// service token and app tokens").
    func code(
        for bundle: String, at endpoint: String, key: SigningKey?, signedBy signer: SigningKey? = nil, now: Date
    ) throws -> String {
        let now = Int(now.timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": .string(instance), "sub": .string(bundle), "aud": .string(endpoint), "iat": .integer(now),
            "exp": .integer(now + 60), "jti": .string(UUID().uuidString.lowercased()),
        ]
        if let key { claims["cnf"] = ["jwk": key.jwk] }
        return try (signer ?? holder.key).sign(claims, header: ["typ": "JWT"])
    }

    /// The answer to a code.
    func ask(
        _ code: String, for bundle: String, scope: String, at endpoint: String, showing token: String? = nil,
        by other: KeyHolder? = nil
    ) async throws -> Transport.Response {
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", bundle), ("scope", scope),
        ]
        return try await (other ?? holder).send(.form(endpoint, form), showing: token ?? tokens.accessToken)
    }

    /// Whether it still gives app tokens.
    func isAlive(_ context: CheckContext, scope: String) async throws -> Bool {
        try await grant(context, scope: scope, key: nil).isGood
    }

    /// The answer to the usual question: for the bundle of this check, by a new code.
    func grant(_ context: CheckContext, scope: String, key: SigningKey?) async throws -> Transport.Response {
        let code = try code(for: context.bundle, at: context.tokenEndpoint, key: key, now: context.now())
        return try await ask(code, for: context.bundle, scope: scope, at: context.tokenEndpoint)
    }

    /// The first protocol of the document for which it gives tokens.
    func firstScope(_ context: CheckContext) async throws -> String? {
        for api in context.protocols {
            if try await isAlive(context, scope: api.name) { return api.name }
        }
        return nil
    }
}
