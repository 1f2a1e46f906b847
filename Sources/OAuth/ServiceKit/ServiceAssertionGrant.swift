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
    let remoteKeys: RemoteKeys
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes
    let clock: WallClock

    public init(
        realm: Realm, issuer: String, store: TokenStore, revocation: Revocation, remoteKeys: RemoteKeys,
        writer: AccessTokenWriter, lifetimes: Lifetimes, clock: WallClock
    ) {
        (self.realm, self.issuer, self.store, self.revocation) = (realm, issuer, store, revocation)
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
        return try await writer.respond(try await redeem(claims, caller))
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

    /// One identifier, one token: it is used up by the statement that issues. Losers of a race wait there for the
    /// winner's commit, and then end what it got: the assertion was shown twice.
    private func redeem(_ claims: Claims, _ caller: AuthenticatedClient) async throws -> IssuedToken {
        var lineage = claims.lineage.map { ForeignNode.id($0, of: issuer) }
        // Pando's lineages begin epoch, version, instance — or epoch, account, session or grant, for a web client: the
        // third is the anchor of all that this instance, or this client for this person, holds here.
        let node = lineage[lineage.count - 1], anchor = lineage.count > 2 ? lineage[2] : lineage[0]
        do {
            // An instance may move to a newer version meanwhile.
            for _ in 0..<4 {
                do {
                    return try await store.issue(draft(claims, below: lineage, of: node, anchor: anchor))
                } catch is ConditionFailed {
                    lineage = try await revocation.current(lineage, anchor: anchor)
                }
            }
        } catch is AlreadyUsed {
            let actor = caller.actor("service:\(realm.id)").because("assertion used twice")
            try await store.database.atomically {
                try await revocation.revokeForeign(node, label: "assertion:\(claims.jti)", by: actor, in: $0)
            }
            throw refused("it was used before; what came of it has been ended")
        } catch is AncestorRevoked {
            throw refused("it, or what it stands on, has been revoked")
        }
        throw DatabaseError.serialization
    }

    private func draft(_ claims: Claims, below lineage: [NodeID], of node: NodeID, anchor: NodeID) -> TokenDraft {
        let told = TokenClaims(
            subject: claims.subject, app: claims.app, key: claims.key.bare, login: claims.login,
            released: claims.released)
        let body = TokenBody(
            realm: realm.id, kind: .serviceToken, parent: node, anchor: anchor, client: claims.instance,
            service: realm.id, scope: realm.tokenEndpoint, jkt: claims.key.thumbprint, claims: told)
        return TokenDraft(
            body, inherited: lineage + [claims.signer], lifetime: lifetimes.serviceToken, refresh: .init(),
            condition: Revocation.isCurrent(lineage, anchor: anchor),
            using: NodeID(
                oneTime: claims.jti, namespace: "assertion \(realm.id) \(issuer)",
                expires: claims.expires.addingTimeInterval(ServiceAssertionGrant.skew)))
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the assertion was refused: \(cause)", cause: cause)
    }
}
