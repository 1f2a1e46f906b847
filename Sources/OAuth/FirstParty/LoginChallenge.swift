import Accounts
import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// First-party login without a browser (draft-ietf-oauth-first-party-apps): a live instance shows its token and what the person typed.
public struct LoginChallenge: Sendable {
    let issuer: String
    let store: TokenStore
    let keys: SigningKeys
    let login: PasswordLogin
    let instances: InstanceStore
    let lifetimes: Lifetimes
    let clock: WallClock
    let randomness: Randomness

    public init(issuer: String, store: TokenStore, keys: SigningKeys, login: PasswordLogin, lifetimes: Lifetimes, clock: WallClock, randomness: Randomness) {
        (self.issuer, self.store, self.keys, self.login, self.lifetimes) = (issuer, store, keys, login, lifetimes)
        (self.clock, self.randomness, instances) = (clock, randomness, InstanceStore(clock: clock))
    }

    /// `authorization_code` for the instance; `insufficient_authorization` with an `auth_session` when the account wants a second factor.
    public func respond(_ holder: Holder, _ parameters: Parameters) async throws -> JSONValue {
        guard let client = holder.token.body.client, try parameters["client_id"] == nil || parameters["client_id"] == client else {
            throw OAuthError(.invalidClient, "client_id is not that of the instance token shown")
        }
        guard try parameters["response_type"] == nil || parameters["response_type"] == "code" else {
            throw OAuthError(.unsupportedResponseType, "response_type must be code")
        }
        let challenge = try challenge(parameters)
        guard let instance = try await instances.find(client, in: store.database) else { throw OAuthError(.invalidToken, "the instance is no longer registered") }
        let event = try await logIn(username: try parameters.required("username"), password: try parameters.required("password"), instance: instance)
        guard instance.account == nil || instance.account == event.account.id else {
            throw OAuthError(.accessDenied, "this app instance belongs to another person; they must disconnect it first")
        }
        guard event.account.requiredFactor == .none else { throw try await secondFactor(event, client: client) }
        return ["authorization_code": .string(try await code(for: event, holder: holder, challenge: challenge))]
    }

    private func challenge(_ parameters: Parameters) throws -> CodeChallenge {
        guard try parameters["code_challenge_method"] == "S256", let challenge = CodeChallenge(try parameters.required("code_challenge")) else {
            throw OAuthError(.invalidRequest, "PKCE is required: code_challenge_method S256 and a code_challenge of 43 letters (RFC 7636)")
        }
        return challenge
    }

    private func logIn(username: String, password: String, instance: AppInstance) async throws -> AuthenticationEvent {
        guard username.utf8.count <= 255, password.utf8.count <= 1_024 else { throw OAuthError(.invalidRequest, "username or password is too long") }
        do {
            return try await login.logIn(username: username, password: password, client: instance.id, owner: instance.account)
        } catch PasswordLogin.Refused.tooMany(let seconds) {
            throw OAuthError(.tooManyAttempts, "too many wrong attempts; try again in \(seconds) seconds", retryAfter: seconds)
        } catch is PasswordLogin.Refused {
            throw OAuthError(.accessDenied, "username or password is wrong")
        } catch is PasswordHasher.Busy {
            throw OAuthError(.temporarilyUnavailable, "many people are logging in; try again in a moment", retryAfter: 2)
        }
    }

    /// A signed note that the first factor was right, for the request that brings the second.
    private func secondFactor(_ event: AuthenticationEvent, client: String) async throws -> OAuthError {
        let now = clock.now()
        let session = try await keys.sign(type: JWTType.authenticationSession.rawValue, claims: [
            "iss": .string(issuer), "aud": .string(issuer), "sub": .string(event.account.id.uuidString.lowercased()), "client_id": .string(client),
            "jti": .string(event.id.uuidString.lowercased()), "iat": .integer(now.numericDate), "exp": .integer(now.numericDate + 300),
        ])
        return OAuthError(.insufficientAuthorization, "this account asks for a second factor", members: ["auth_session": session])
    }

    private func code(for event: AuthenticationEvent, holder: Holder, challenge: CodeChallenge) async throws -> String {
        let secret = randomness.bytes(32), token = holder.token
        var detail = token.body.detail
        detail["code_challenge"] = .string(challenge.value)
        detail["auth_time"] = .integer(event.at.numericDate)
        detail["amr"] = JSONValue(strings: [event.method])
        detail["acr"] = .string(AuthenticationContext(methods: [event.method], time: event.at).level.rawValue)
        let body = TokenBody(realm: token.body.realm, kind: .code, parent: token.family, anchor: token.body.anchor, account: event.account.id,
                             client: token.body.client, jkt: token.body.jkt, detail: detail)
        do {
            // The account stands in the code's lineage: cutting it ends codes on their way too.
            let account = try await store.generations(of: [Ancestor(.account, event.account.id.uuidString.lowercased())])
            let issued = try await store.issue(TokenDraft(body, inherited: token.lineage, added: account, lifetime: lifetimes.code, secret: Digest.sha256(secret)))
            return AuthorizationCode.text(node: issued.row.id, secret: secret)
        } catch is AncestorCut {
            throw OAuthError(.invalidToken, "the instance has been revoked")
        }
    }
}
