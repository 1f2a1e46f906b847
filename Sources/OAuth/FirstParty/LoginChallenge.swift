import Accounts
import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// First-party login without a browser (draft-ietf-oauth-first-party-apps): a live instance shows its token and what
/// the person typed. Where a second factor is due the login goes on in three requests, see `FactorChallenge`.
public struct LoginChallenge: Sendable {
    let store: TokenStore
    let login: PasswordLogin
    let instances: InstanceStore
    let factors: FactorChallenge
    let codes: InstanceCode
    let refusals: RefusedLogins

    init(
        issuer: String, store: TokenStore, keys: SigningKeys, oneTime: OneTimeStore, login: PasswordLogin,
        factors: [SecondFactor], lifetimes: Lifetimes,
        clock: WallClock, randomness: Randomness
    ) {
        (self.store, self.login, instances) = (store, login, InstanceStore(clock: clock))
        let codes = InstanceCode(store: store, lifetimes: lifetimes, randomness: randomness)
        self.codes = codes
        let refusals = RefusedLogins(action: .app, database: store.database, clock: clock)
        self.refusals = refusals
        self.factors = FactorChallenge(
            issuer: issuer, factors: factors, sessions: AuthSessions(issuer: issuer, keys: keys, clock: clock),
            accounts: AccountStore(clock: clock), events: AuthenticationEvents(clock: clock), oneTime: oneTime,
            pushes: PushAllowance(database: store.database, clock: clock), codes: codes, refusals: refusals)
    }

    /// `authorization_code` for the instance. Throws `insufficient_authorization` with an `auth_session` where a second
    /// factor is due.
    ///
    /// `origin` is the address of the app; `wait`: seconds that it is willing to wait for a second factor's answer.
    public func respond(
        _ holder: AuthenticatedToken, _ parameters: OAuthParameters, origin: String?, wait: Int
    ) async throws -> JSONValue {
        guard let client = holder.token.body.client,
            try parameters["client_id"] == nil || parameters["client_id"] == client
        else {
            throw OAuthError(.invalidClient, "client_id is not that of the instance token shown")
        }
        guard try parameters["response_type"] == nil || parameters["response_type"] == "code" else {
            throw OAuthError(.unsupportedResponseType, "response_type must be code")
        }
        let session = try await factors.session(parameters, client: client)
        // A session knows the challenge that it began with; the app may name another.
        let challenge = try challenge(parameters, known: session?.challenge)
        guard let instance = try await instances.find(client, in: store.database) else {
            throw OAuthError(.invalidToken, "the instance is no longer registered")
        }
        let asker = FactorChallenge.Requester(client: client, holder: holder, challenge: challenge, origin: origin)
        if let session {
            try await check(instance, belongsTo: session.account, asker)
            return ["authorization_code": .string(try await factors.goOn(session, asker, parameters, wait: wait))]
        }
        let event = try await logIn(
            username: try parameters.required("username"), password: try parameters.required("password"),
            instance: instance, asker)
        try await check(instance, belongsTo: event.account.id, asker)
        try await factors.check(event, asker, levels: try levels(parameters))
        let history = AuthenticationHistory([.init(at: event.at, methods: event.methods)], began: event.at)
        return try await store.database.atomically { transaction in
            let code = try await codes.issue(
                event.account.id, history.context(), password: event.password, holder: holder, challenge: challenge,
                in: transaction)
            OAuthMetrics.shared.login(event.methods, outcome: "done")
            try await AuditTrail.write(asker.entry(event, event.methods), at: event.at, in: transaction)
            return ["authorization_code": .string(code)]
        }
    }

    private func check(
        _ instance: AppInstance, belongsTo account: UUID, _ asker: FactorChallenge.Requester
    ) async throws {
        guard instance.account == nil || instance.account == account else {
            try await refusals.note(account, "instance_of_another_person", by: asker.actor)
            throw OAuthError(
                .accessDenied, "this app instance belongs to another person; they must disconnect it first")
        }
    }

    private func challenge(_ parameters: OAuthParameters, known: String?) throws -> CodeChallenge {
        if try parameters["code_challenge"] == nil, let known = known.flatMap({ CodeChallenge($0) }) { return known }
        guard try parameters["code_challenge_method"] == "S256",
            let challenge = CodeChallenge(try parameters.required("code_challenge"))
        else {
            throw OAuthError(
                .invalidRequest,
                "PKCE is required: code_challenge_method S256 and a code_challenge of 43 letters (RFC 7636)")
        }
        return challenge
    }

    /// What the app wishes, most wanted first; what is unknown here is passed over (OpenID Connect Core, 3.1.2.1).
    private func levels(_ parameters: OAuthParameters) throws -> [AuthenticationContext.Level] {
        try parameters["acr_values"]?.split(separator: " ").compactMap {
            AuthenticationContext.Level(rawValue: String($0))
        } ?? []
    }

    private func logIn(
        username: String, password: String, instance: AppInstance, _ asker: FactorChallenge.Requester
    ) async throws -> AuthenticationEvent {
        guard username.utf8.count <= 255, password.utf8.count <= 1_024 else {
            throw OAuthError(.invalidRequest, "username or password is too long")
        }
        do {
            return try await login.logIn(
                username: username, password: password, client: instance.id, owner: instance.account)
        } catch let refused as PasswordLogin.Refused {
            try await refusals.note(refused, by: asker.actor)
            if case .tooMany(let seconds, _) = refused {
                throw OAuthError(
                    .tooManyAttempts, "too many wrong attempts; try again in \(seconds) seconds", retryAfter: seconds)
            }
            throw OAuthError(.accessDenied, "username or password is wrong")
        } catch is PasswordHasher.Busy {
            throw OAuthError(
                .temporarilyUnavailable, "many people are logging in; try again in a moment", retryAfter: 2)
        }
    }
}

/// An authorization code for an instance: below its token, the person, and the password that was typed.
struct InstanceCode: Sendable {
    let store: TokenStore
    let lifetimes: Lifetimes
    let randomness: Randomness

    private static let changed = OAuthError(
        .accessDenied, "the password was changed meanwhile; begin again with username and password")

    func issue(
        _ account: UUID, _ context: AuthenticationContext, password: NodeID?, holder: AuthenticatedToken,
        challenge: CodeChallenge,
        in executor: (any SQLExecutor)? = nil
    ) async throws -> String {
        let secret = randomness.bytes(32), token = holder.token
        var claims = token.body.claims
        claims.login = LoginClaims(context)
        claims.code = CodeBinding(challenge: challenge.value)
        let body = TokenBody(
            realm: token.body.realm, kind: .code, parent: token.family, anchor: token.body.anchor, account: account,
            client: token.body.client, jkt: token.body.jkt, claims: claims)
        do {
            // The account stands in the code's lineage: revoking it ends codes on their way too.
            let person = try await store.generations(
                of: [Ancestor(.account, account.uuidString.lowercased())], in: executor)
            // The password is inherited, not added: changed since it was typed, it opens nothing, and is not opened
            // anew.
            let inherited = token.lineage + (password.map { [$0] } ?? [])
            let draft = TokenDraft(
                body, inherited: inherited, added: person, lifetime: lifetimes.code, secret: Digest.sha256(secret))
            let issued = try await store.issue(draft, in: executor)
            return AuthorizationCode.text(node: issued.row.id, secret: secret)
        } catch is AncestorRevoked {
            if let password, try await store.isRevoked(password, in: executor) { throw InstanceCode.changed }
            throw OAuthError(.invalidToken, "the instance has been revoked")
        }
    }
}
