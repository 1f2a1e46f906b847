import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `authorization_code` of a web client (RFC 6749, 4.1.3): the code of `/authorize` becomes an access token, an ID
/// token where `openid` was asked for, and a refresh token where the client is registered for it.
struct WebCodeGrant: Sendable {
    let realm: Realm
    let store: TokenStore
    let revocation: Revocation
    let accounts: AccountStore
    let clients: WebClientStore
    let index: ServiceIndex
    let answers: WebTokenAnswer
    let usage: ServiceUsage
    let lifetimes: Lifetimes

    /// In one round trip, with whatever else is issued at that time, where nothing speaks against it: the statement
    /// that issues uses the code up, and asks whether person and service are active and the client is unchanged, which
    /// therefore may be as it was when it was last read. `nil` where something speaks against it, or may; then nothing
    /// was used up, and `issue` tells what.
    ///
    /// Who suspends a person, withdraws, logs out or deletes a client revokes afterwards what was issued here: one of
    /// the two sees the other. Who changes a client, or suspends a service and revokes nothing, may return while what
    /// was asked just before is being committed: as if it had been issued before.
    func together(
        _ request: AuthorizationCodeGrant.Request, _ code: AuthorizationCode, row: TokenRow,
        to caller: AuthenticatedClient
    ) async throws -> TokenResponse? {
        guard let client = caller.client, client.id == row.body.client, row.usedAt == nil,
            let account = row.body.account, isOffered(row, to: client), (try? check(request, row)) != nil,
            isMet(row, by: request.verifier), let binding = try? binding(row, client, caller),
            let target = try? target(request, row)
        else { return nil }
        let names = row.body.claims.idTokenNames
        let person = names.isEmpty ? nil : try await accounts.find(account, in: store.database)
        var conditions = [AccountStore.isActive(account), client.isUnchanged]
        if let person { conditions.append(person.isUnchanged) }
        if let base = target.audience { conditions.append(ServiceIndex.isActive(base: base)) }
        let draft = draft(
            row, target, for: client, binding, redeeming: code.token, condition: conditions.joined(separator: " and "))
        let issued: IssuedToken
        do {
            issued = try await store.issue(draft)
        } catch is ConditionFailed {
            return nil
        } catch DatabaseError.serialization {
            return nil
        }
        return try await answers.respond(issued, to: client, person: person)
    }

    /// `row` is the code's, as it was found. A wrong client, address or key neither uses nor ends anything; a wrong
    /// verifier of the right client uses it up.
    func issue(
        _ request: AuthorizationCodeGrant.Request, _ code: AuthorizationCode, row: TokenRow,
        to caller: AuthenticatedClient
    ) async throws -> TokenResponse {
        guard let client = caller.client else {
            throw OAuthError(.invalidClient, "authenticate as the client that this code was given to")
        }
        guard client.id == row.body.client else { throw refused("another client than the one it was given to") }
        guard client.grantTypes.contains(GrantType.authorizationCode.rawValue) else {
            throw OAuthError(.unauthorizedClient, "this client is not registered for authorization_code")
        }
        try check(request, row)
        let target = try target(request, row)
        guard isMet(row, by: request.verifier) else {
            // Somebody redeems a code that another began: it is worth nothing from now on (attack group 9).
            _ = try await store.use(code.node, secret: code.secretHash, in: store.database)
            throw refused(WebCodeGrant.mismatch(row, request.verifier))
        }
        let binding = try binding(row, client, caller)
        let (issued, person) = try await store.database.settling { transaction in
            try await redeem(code, target, client, binding, caller, in: transaction)
        }
        return try await answers.respond(issued, to: client, person: person)
    }

    /// RFC 7636, 4.6. Where the request had no challenge, the ID token's nonce stands in for it: a verifier that
    /// comes all the same is for a request from which somebody took the challenge (RFC 9700, 4.8.2).
    private func isMet(_ row: TokenRow, by verifier: String?) -> Bool {
        guard let code = row.body.claims.code else { return false }
        guard let challenge = code.challenge else { return verifier == nil && row.body.claims.nonce != nil }
        guard let verifier, let challenge = CodeChallenge(challenge) else { return false }
        return challenge.isMet(by: verifier)
    }

    private static func mismatch(_ row: TokenRow, _ verifier: String?) -> String {
        guard verifier != nil else { return "code_verifier is missing" }
        return row.body.claims.code?.challenge == nil
            ? "code_verifier came, but the authorization request had no code_challenge" : "code_verifier does not match"
    }

    private func binding(
        _ row: TokenRow, _ client: WebClient, _ caller: AuthenticatedClient
    ) throws -> TokenBinding {
        let binding = try TokenBinding(client, caller)
        if let wanted = row.body.claims.code?.dpopKey, binding.key?.jkt != wanted {
            throw OAuthError(.invalidProof, "show the key that the code is bound to, by a DPoP proof")
        }
        return binding
    }

    /// What the client was registered for when the code was issued may have been taken from it since.
    private func isOffered(_ row: TokenRow, to client: WebClient) -> Bool {
        client.offers(.authorizationCode, scope: Scope(row.body.scope ?? ""))
            && client.accepts(redirectURI: row.body.claims.code?.redirectURI ?? "")
            && (row.body.claims.code?.challenge != nil || client.admitsNonceInstead)
    }

    private func check(_ request: AuthorizationCodeGrant.Request, _ row: TokenRow) throws {
        let code = row.body.claims.code
        if code?.isRedirectNamed == true, request.redirectURI == nil {
            throw refused("redirect_uri is missing, and stood in the authorization request")
        }
        // Bytes, not characters: Swift holds canonically equivalent strings for equal.
        guard
            request.redirectURI == nil
                || request.redirectURI?.utf8.elementsEqual(code?.redirectURI?.utf8 ?? "".utf8) == true
        else {
            throw refused("redirect_uri is not that of the authorization request")
        }
    }

    private func target(
        _ request: AuthorizationCodeGrant.Request, _ row: TokenRow
    ) throws(OAuthError)
        -> GrantedResource
    {
        try row.body.claims.target(request.resource, at: realm.base)
    }

    /// Of all that redeem one code at once, one gets the token; each of the others ends what it gave (RFC 6749, 4.1.2).
    private func redeem(
        _ code: AuthorizationCode, _ target: GrantedResource, _ client: WebClient, _ binding: TokenBinding,
        _ caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws -> Outcome<(IssuedToken, Account)> {
        guard let row = try await store.use(code.node, secret: code.secretHash, in: transaction) else {
            if let used = try await store.find(code.node, in: transaction), used.usedAt != nil, let child = used.child {
                try await revocation.revoke(
                    .token(child), by: caller.actor("server").because("authorization code used twice"), in: transaction)
            }
            return .refused(refused("used, expired or revoked"))
        }
        guard let account = row.body.account,
            let person = try await accounts.find(account, locking: true, in: transaction), person.status == .active
        else {
            return .refused(refused("the person may no longer log in"))
        }
        guard let present = try await clients.offered(.authorizationCode, to: client.id, in: transaction),
            isOffered(row, to: present)
        else {
            return .refused(refused("the client is no longer registered for this"))
        }
        guard try await isServed(target, in: transaction) else {
            return .refused(
                OAuthError(
                    .invalidTarget,
                    "the service that was authorized is no longer an active one of this federation, or ended this",
                    status: 400))
        }
        let issued = try await store.issue(draft(row, target, for: present, binding), in: transaction)
        try await store.record(child: issued.row.id, of: code.node, in: transaction)
        return .done((issued, person))
    }

    /// Inherited, not added: what was revoked since the code was issued is not opened anew.
    private func draft(
        _ row: TokenRow, _ target: GrantedResource, for client: WebClient, _ binding: TokenBinding,
        redeeming code: OneTimeToken? = nil, condition: SQL? = nil
    ) -> TokenDraft {
        let isRefreshed = client.offers(.refreshToken)
        let body = TokenBody(
            realm: row.body.realm, kind: .accessToken, parent: nil, anchor: row.body.anchor, account: row.body.account,
            client: row.body.client, scope: row.body.scope, jkt: binding.key?.jkt,
            claims: binding.claims(row.body.claims).with(target))
        let used = row.body.account.map { usage.recording($0, by: client.id, at: target.audience) }
        return TokenDraft(
            body, inherited: row.lineage.dropLast(), own: target.nodes,
            lifetime: client.lifetimes.accessToken(usual: lifetimes.accessToken, limit: target.lifetime),
            refresh: isRefreshed
                ? TokenDraft.Refresh(idle: client.lifetimes.refresh(usual: lifetimes.webIdle)) : nil,
            condition: condition, beside: used, redeeming: code)
    }

    /// A service that was suspended since gets nothing new (RFC 8707, 2.2), nor one where what the person does has been
    /// ended. True for a token for this server itself.
    private func isServed(_ target: GrantedResource, in transaction: any SQLExecutor) async throws -> Bool {
        guard let base = target.audience else { return true }
        guard let service = try await index.active(base, in: transaction),
            try await index.isActive(service.id, in: transaction)
        else { return false }
        return try await transaction.query(
            "select r.node from revocation r where r.node = any (\(target.nodes)) limit 1"
        ).isEmpty
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the authorization code was refused: \(cause)", cause: cause)
    }
}

/// What a web client's token is bound to: a DPoP key (RFC 9449), a certificate (RFC 8705), or nothing.
struct TokenBinding: Sendable {
    let key: ShownKey?
    /// Its thumbprint.
    let certificate: String?

    /// A client that registered a binding must show it.
    init(_ client: WebClient, _ caller: AuthenticatedClient) throws {
        if client.metadata.isDPoPBound, caller.key == nil {
            throw OAuthError(.invalidProof, "this client's tokens are bound to a key: send a DPoP proof")
        }
        key = caller.key
        certificate = try CertificateBinding.of(client, caller.request)
    }

    /// What an access token tells, from what a code or a device was granted.
    func claims(_ granted: TokenClaims) -> TokenClaims {
        var claims = granted
        (claims.key, claims.certificate, claims.code) = (key?.key.bare, certificate, nil)
        return claims
    }
}

/// The answer to a web client that acts for a person.
struct WebTokenAnswer: Sendable {
    let writer: AccessTokenWriter
    let idTokens: IDToken
    let accounts: AccountStore
    let consents: ConsentStore

    /// `person` may be `nil` where the ID token tells nothing of them but their name at the client.
    func respond(_ issued: IssuedToken, to client: WebClient, person: Account?) async throws -> TokenResponse {
        let answer = try await writer.respond(issued)
        guard WebTokenAnswer.isOpenID(issued.row) else { return answer }
        return answer.with(
            idToken: try await idTokens.write(issued.row, to: client, person: person, accessToken: answer.accessToken))
    }

    /// To a refresh: an ID token again (OpenID Connect Core, 12.2), where the scope that was asked for has `openid`
    /// still. Where none can be signed, what is there already goes on without.
    func respond(
        refreshed issued: IssuedToken, to client: WebClient, in executor: any SQLExecutor
    ) async throws -> TokenResponse {
        let answer = try await writer.respond(issued), body = issued.row.body
        guard WebTokenAnswer.isOpenID(issued.row), idTokens.isOffered(to: client) else { return answer }
        var person: Account?, agreed: [String] = []
        if !body.claims.idTokenNames.isEmpty, let account = body.account {
            person = try await accounts.find(account, in: executor)
            agreed = try await consents.claims(account, client.id, in: executor)
        }
        return answer.with(
            idToken: try await idTokens.write(
                issued.row, to: client, person: person, accessToken: answer.accessToken, refreshing: agreed))
    }

    private static func isOpenID(_ row: TokenRow) -> Bool {
        Scope(row.body.scope ?? "")?.contains("openid") == true
    }
}
