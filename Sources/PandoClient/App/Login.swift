/// Login without a browser (draft-ietf-oauth-first-party-apps, docs/for-app-makers.md, "2. Log in").
extension Instance {
    /// What came of a step.
    public enum LoginAnswer: Sendable {
        case loggedIn(Person)
        /// A second factor is due: choose one of its `factors`, or show the person what it says.
        case due(LoginChallenge)
        /// Nobody has answered yet: ask again with this.
        case pending(LoginChallenge)
    }

    /// With a password. `levels` are `acr_values`, most wanted first.
    /// - Throws: `OAuthError`: `access_denied` for a wrong password, `slow_down` for too many.
    public func logIn(
        username: String, password: String, levels: [String] = [],
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> LoginAnswer {
        let pkce = PKCE()
        var form = [
            ("response_type", "code"), ("username", username), ("password", password),
            ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
        if !levels.isEmpty { form.append(("acr_values", levels.joined(separator: " "))) }
        return try await step(form, pkce, session: nil, wait: nil, keep)
    }

    /// Asks the person by one of the factors that are due.
    public func choose(
        _ factor: String, _ challenge: LoginChallenge,
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> LoginAnswer {
        let form = [("auth_session", challenge.session), ("factor", factor)]
        return try await step(form, challenge.pkce, session: challenge.session, wait: nil, keep)
    }

    /// Looks for the person's answer. `otp` is what a phone without network shows, `credential` what an authenticator
    /// answered, as JSON text, `recoveryCode` one of those on paper; `wait`: seconds for which the answer may be held
    /// (RFC 7240), 60 at most.
    public func look(
        _ challenge: LoginChallenge, otp: String? = nil, credential: String? = nil, recoveryCode: String? = nil,
        wait: Int? = nil,
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> LoginAnswer {
        var form = [("auth_session", challenge.session)]
        if let otp { form.append(("otp", otp)) }
        if let credential { form.append(("credential", credential)) }
        if let recoveryCode { form.append(("recovery_code", recoveryCode)) }
        return try await step(form, challenge.pkce, session: challenge.session, wait: wait, keep)
    }

    private func step(
        _ form: [(String, String)], _ pkce: PKCE, session: String?, wait: Int?,
        _ keep: @escaping @Sendable (Tokens) async throws -> Void
    ) async throws -> LoginAnswer {
        var request = Transport.Request.form(try server.endpoint("authorization_challenge_endpoint"), form)
        if let wait { request.headers.append(("Prefer", "wait=\(wait)")) }
        let response = try await tokens.send(request)
        guard !response.isGood else {
            return .loggedIn(try await redeem(try response.json().text("authorization_code"), pkce, keep))
        }
        let refusal = OAuthError(response)
        guard let session = refusal.members["auth_session"]?.string ?? session else { throw refusal }
        let challenge = LoginChallenge(session: session, pkce: pkce, members: refusal.members)
        switch refusal.code {
        case .insufficientAuthorization: return .due(challenge)
        case .authorizationPending: return .pending(challenge)
        default: throw refusal
        }
    }

    private func redeem(
        _ code: String, _ pkce: PKCE, _ keep: @escaping @Sendable (Tokens) async throws -> Void
    ) async throws -> Person {
        let request = Transport.Request.form(
            try server.endpoint("token_endpoint"),
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", pkce.verifier),
                ("client_id", id),
            ])
        let tokens = try Tokens(try await self.tokens.holder.send(request), now: server.now())
        try await keep(tokens)
        return try person(tokens, keep: keep)
    }
}

/// A login that needs one more factor.
public struct LoginChallenge: Sendable, Redacted {
    let session: String
    let pkce: PKCE
    let members: [String: JSON]

    /// Those that the person has; empty in later steps.
    public var factors: [String] { members["factors"]?.strings ?? [] }
    public var description: String { "login challenge" }

    /// What to show for a factor, e.g. `auth_url` of one that is scanned.
    public func shown(for factor: String) -> JSON? { members[factor] }
}
