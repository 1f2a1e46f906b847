import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// `authorization_code` at a service: the instance hands a scoped token to a third-party app on the same phone (api.md,
/// "A service"). Its code is a JWT by the very key that authenticates the request.
public struct AppAuthorizationGrant: Grant {
    public let type = GrantType.authorizationCode
    let realm: Realm
    let scopes: [String]
    let store: TokenStore
    let revocation: Revocation
    let proofs: ProofOfPossession
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes

    public init(
        realm: Realm, scopes: [String], store: TokenStore, revocation: Revocation, proofs: ProofOfPossession,
        writer: AccessTokenWriter, lifetimes: Lifetimes
    ) {
        (self.realm, self.scopes, self.store, self.revocation) = (realm, scopes, store, revocation)
        (self.proofs, self.writer, self.lifetimes) = (proofs, writer, lifetimes)
    }

    /// RFC 6749, 4.1.3.
    public struct Request: Sendable {
        let code: String
        let clientID: String?
        let scope: String?
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(
            code: try parameters.required("code"), clientID: try parameters["client_id"], scope: try parameters["scope"]
        )
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard let holder = caller.holder else { throw OAuthError(.invalidToken, "show the service access token") }
        guard holder.token.body.kind == .serviceToken, let jwk = holder.token.body.claims.key else {
            throw OAuthError(.invalidToken, "only a service access token hands out tokens for other apps")
        }
        guard let bundle = request.clientID else {
            throw OAuthError(.invalidRequest, "client_id, the app's bundle id, is missing")
        }
        guard let scope = request.scope.flatMap({ Scope($0) }), !scope.isEmpty, scope.isSubset(of: scopes) else {
            throw OAuthError(
                .invalidScope, "scope must name protocols of this service: \(scopes.joined(separator: " "))")
        }
        guard request.code != holder.presented else {
            throw refused("the JWT that authenticates cannot be the code as well")
        }
        let appKey = try await check(
            request.code, key: try await JSONWebKey(jwk), instance: holder.token.body.client, bundle: bundle)
        do {
            let issued = try await store.database.atomically { transaction in
                try await authorize(bundle, scope, appKey, holder, caller, in: transaction)
            }
            return try await writer.respond(issued)
        } catch is ConditionFailed {
            throw OAuthError(.accessDenied, "this service does not take this app", status: 400)
        }
    }

    /// The key of the app, when it brings one. What it brings and cannot be used refuses the code: without it the token
    /// would be a bearer token.
    private func check(_ text: String, key: JSONWebKey, instance: String?, bundle: String) async throws -> JSONWebKey? {
        guard let jwt = try? JWT(text), jwt.type == nil || jwt.type == JWTType.plain.rawValue else {
            throw refused("it is not a JWT of type JWT")
        }
        guard jwt.isSigned(by: key) else { throw refused("it is not signed by the key that authenticates the request") }
        guard let instance, jwt.string("iss") == instance else { throw refused("iss is not the instance") }
        guard jwt.audiences == [realm.tokenEndpoint] else { throw refused("aud is not \(realm.tokenEndpoint)") }
        guard jwt.string("sub") == bundle else { throw refused("sub is not client_id") }
        guard AppPolicy.isName(bundle) else {
            throw refused("client_id is no bundle id: 1 to 255 characters of ASCII, and no blanks")
        }
        let appKey: JSONWebKey?
        do { appKey = try await Confirmation.key(of: jwt) } catch let refusal as Confirmation.Refused {
            throw refused(refusal.description)
        }
        do {
            let expires = try proofs.claimTimes(jwt)
            try await proofs.claimOnce(jwt, key: key, expires: expires)
        } catch let refusal as OAuthError where refusal.code == .invalidProof {
            throw refused(refusal.cause ?? refusal.description)
        }
        return appKey
    }

    /// One token per instance, app and scope set: a lock of these three lets two authorizations at once come one after
    /// the other. The service's policy is held before, and looked at by the statement that issues.
    private func authorize(
        _ bundle: String, _ scope: Scope, _ appKey: JSONWebKey?, _ holder: AuthenticatedToken,
        _ caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws -> IssuedToken {
        let parent = holder.token
        let lock = NodeID(digestOf: "app token \(realm.id) \(parent.body.anchor) \(scope.sorted) \(bundle)").lockNumber
        _ = try await transaction.batch([
            AppPolicyStore.holding(realm.id), "select pg_advisory_xact_lock(\(lock))",
        ])
        let ancestors =
            [Ancestor(.bundle, bundle), .admission(of: bundle, to: realm.id)]
            + (appKey.map { [Ancestor(.key, $0.thumbprint)] } ?? [])
        let generations = try await store.generations(of: ancestors, in: transaction)
        let told = parent.body.claims
        let claims = TokenClaims(
            subject: told.subject, app: told.app, key: appKey?.bare, login: told.login, released: told.released)
        let body = TokenBody(
            realm: realm.id, kind: .appToken, parent: parent.family, anchor: parent.body.anchor,
            client: parent.body.client, service: realm.id,
            bundle: bundle, scope: scope.sorted, jkt: appKey?.thumbprint, claims: claims)
        let draft = TokenDraft(
            body, inherited: parent.lineage, added: generations, lifetime: lifetimes.appToken, refresh: .init(),
            condition: AppPolicyStore.admits(bundle, to: realm.id))
        let issued = try await store.issue(draft, in: transaction)
        try await revocation.revokeFamilies(
            kind: .appToken, anchor: parent.body.anchor,
            matching:
                """
                f.realm = \(realm.id) and f.bundle = \(bundle) and f.scope = \(scope.sorted) and f.id <> \
                \(issued.row.id)
                """,
            by: caller.actor("instance:\(parent.body.client ?? "")").because("authorized anew"), in: transaction)
        return issued
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the code was refused: \(cause)", cause: cause)
    }
}
