import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Foreign nodes as a service keeps them: the digest of issuer and pseudonym, in the shape of a node.
public enum ForeignNode {
    public static func id(_ pseudonym: String, of issuer: String) -> NodeID {
        NodeID(digestOf: "\(issuer) \(pseudonym)")
    }

    /// The key that signed an assertion or event: an ancestor of what came of it, whatever lineage it claims. `ended`
    /// events name it so.
    public static func signer(_ key: JSONWebKey, of issuer: String) -> NodeID {
        id(Ancestor(.signer, key.kid ?? key.thumbprint).label, of: issuer)
    }
}

/// `jwt-bearer` at a service (RFC 7523, 2.1): an assertion of the IdP becomes a service access token that hangs below
/// it.
public struct ServiceAssertionGrant: Grant {
    public let type = GrantType.jwtBearer
    static let longest: TimeInterval = 300
    static let skew: TimeInterval = 60

    let realm: Realm
    /// The one authority whose assertions are taken.
    let issuer: String
    let store: TokenStore
    let revocation: Revocation
    let oneTime: OneTimeStore
    let remoteKeys: RemoteKeys
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes
    let clock: WallClock

    public init(
        realm: Realm, issuer: String, store: TokenStore, revocation: Revocation, oneTime: OneTimeStore,
        remoteKeys: RemoteKeys,
        writer: AccessTokenWriter, lifetimes: Lifetimes, clock: WallClock
    ) {
        (self.realm, self.issuer, self.store, self.revocation, self.oneTime) = (
            realm, issuer, store, revocation, oneTime
        )
        (self.remoteKeys, self.writer, self.lifetimes, self.clock) = (remoteKeys, writer, lifetimes, clock)
    }

    struct Claims: Sendable {
        let jti: String, subject: String, instance: String, app: String?
        let key: JSONWebKey
        let expires: Date
        let lineage: [String]
        let signer: NodeID
        let released: JSONObject
        /// How the person logged in at the IdP (RFC 9470).
        let login: LoginClaims
    }

    /// RFC 7523, 2.1.
    public struct Request: Sendable {
        let assertion: String
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(assertion: try parameters.required("assertion"))
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        let claims = try await verified(request.assertion)
        guard caller.key == nil || caller.key?.jkt == claims.key.thumbprint else {
            throw OAuthError(.invalidProof, "the proof must be by the key in the assertion's cnf")
        }
        let issued = try await store.database.settling { transaction in
            try await redeem(claims, caller, in: transaction)
        }
        return try await writer.respond(issued)
    }

    private func verified(_ text: String) async throws -> Claims {
        guard let jwt = try? JWT(text) else { throw refused("it is not a JWT") }
        guard jwt.type == JWTType.serviceAssertion.rawValue else {
            throw refused("typ must be \(JWTType.serviceAssertion.rawValue)")
        }
        guard jwt.string("iss") == issuer else { throw refused("it is not from \(issuer)") }
        guard jwt.string("aud") == realm.tokenEndpoint else { throw refused("it is for another service") }
        let keys: [JSONWebKey]
        do {
            keys = try await remoteKeys.key(kid: jwt.kid, algorithm: jwt.algorithm, from: issuer + "/jwks.json")
        } catch is RemoteKeys.Unreachable {
            throw OAuthError(
                .temporarilyUnavailable, "the keys of the identity provider cannot be read now; try again",
                retryAfter: 2)
        }
        guard let signer = keys.first(where: { jwt.isSigned(by: $0) }) else {
            throw refused("the signature is by no key of \(issuer)")
        }
        let now = clock.now(), skew = ServiceAssertionGrant.skew
        guard let made = jwt.date("iat"), let expires = jwt.date("exp"), expires > now.addingTimeInterval(-skew),
            made <= now.addingTimeInterval(skew),
            expires.timeIntervalSince(made) <= ServiceAssertionGrant.longest + skew
        else { throw refused("it has expired, or its times are wrong") }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        let named: JSONWebKey?
        do { named = try await Confirmation.key(of: jwt) } catch let refusal as Confirmation.Refused {
            throw refused(refusal.description)
        }
        guard let jti = jwt.string("jti"), let subject = jwt.string("sub"), let instance = jwt.string("client_id"),
            let key = named,
            let lineage = jwt["lineage"]?.strings, (1...64).contains(lineage.count)
        else { throw refused("jti, sub, client_id, cnf.jwk or lineage is missing") }
        let own: Set<String> = [
            "iss", "sub", "aud", "azp", "client_id", "jti", "iat", "exp", "nbf", "cnf", "lineage", "auth_time", "acr",
            "amr",
        ]
        return Claims(
            jti: jti, subject: subject, instance: instance, app: jwt.string("azp"), key: key, expires: expires,
            lineage: lineage,
            signer: ForeignNode.signer(signer, of: issuer), released: jwt.claims.filtered { !own.contains($0) },
            login: LoginClaims(jwt.claims))
    }

    /// One identifier, one token. Losers of a race wait for the winner's commit at the unique key, and then end what it
    /// got: the assertion was shown twice.
    private func redeem(
        _ claims: Claims, _ caller: AuthenticatedClient, in transaction: any SQLExecutor
    ) async throws -> Outcome<IssuedToken> {
        let foreign = claims.lineage.map { ForeignNode.id($0, of: issuer) }
        guard
            try await oneTime.claim(
                claims.jti, namespace: "assertion \(realm.id) \(issuer)",
                expires: claims.expires.addingTimeInterval(ServiceAssertionGrant.skew), in: transaction)
        else {
            if let node = foreign.last {
                try await revocation.revokeForeign(
                    node, label: "assertion:\(claims.jti)",
                    by: caller.actor("service:\(realm.id)").because("assertion used twice"), in: transaction)
            }
            return .refused(refused("it was used before; what came of it has been ended"))
        }
        // Pando's lineages begin epoch, version, instance — or epoch, account, session or grant, for a web client: the
        // third is the anchor of all that this instance, or this client for this person, holds here.
        let anchor = foreign.count > 2 ? foreign[2] : foreign[0]
        let told = TokenClaims(
            subject: claims.subject, app: claims.app, key: claims.key.bare, login: claims.login,
            released: claims.released)
        let inherited = try await revocation.current(foreign, anchor: anchor, in: transaction)
        let body = TokenBody(
            realm: realm.id, kind: .serviceToken, parent: foreign.last, anchor: anchor, client: claims.instance,
            service: realm.id,
            scope: realm.tokenEndpoint, jkt: claims.key.thumbprint, claims: told)
        do {
            return .done(
                try await store.issue(
                    TokenDraft(
                        body, inherited: inherited + [claims.signer], lifetime: lifetimes.serviceToken, refresh: .init()
                    ), in: transaction))
        } catch is AncestorRevoked {
            return .refused(refused("it, or what it stands on, has been revoked"))
        }
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the assertion was refused: \(cause)", cause: cause)
    }
}
