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
    let realm: Realm
    let store: TokenStore
    let revocation: Revocation
    let assertions: AssertionCheck
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes

    public init(
        realm: Realm, issuer: String, store: TokenStore, revocation: Revocation, remoteKeys: RemoteKeys,
        writer: AccessTokenWriter, lifetimes: Lifetimes, clock: WallClock
    ) {
        (self.realm, self.store, self.revocation) = (realm, store, revocation)
        assertions = AssertionCheck(realm: realm, issuer: issuer, remoteKeys: remoteKeys, clock: clock)
        (self.writer, self.lifetimes) = (writer, lifetimes)
    }

    /// RFC 7523, 2.1.
    public struct Request: Sendable {
        let assertion: String
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(assertion: try parameters.required("assertion"))
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        let claims = try await assertions.checked(request.assertion)
        guard caller.key == nil || caller.key?.jkt == claims.key.thumbprint else {
            throw OAuthError(.invalidProof, "the proof must be by the key in the assertion's cnf")
        }
        return try await writer.respond(try await redeem(claims, caller))
    }

    /// One identifier, one token: it is used up by the statement that issues. Losers of a race wait there for the
    /// winner's commit, and then end what it got: the assertion was shown twice.
    private func redeem(_ claims: CheckedAssertion, _ caller: AuthenticatedClient) async throws -> IssuedToken {
        var lineage = claims.lineage
        let node = claims.node, anchor = claims.anchor
        do {
            // An instance may move to a newer version meanwhile.
            for _ in 0..<4 {
                do {
                    return try await store.issue(draft(claims, below: lineage))
                } catch is ConditionFailed {
                    lineage = try await revocation.current(lineage, anchor: anchor)
                }
            }
        } catch is AlreadyUsed {
            let actor = caller.actor("service:\(realm.id)").because("assertion used twice")
            try await store.database.atomically {
                try await revocation.revokeForeign(node, label: "assertion:\(claims.jti)", by: actor, in: $0)
            }
            throw assertions.refused("it was used before; what came of it has been ended")
        } catch is AncestorRevoked {
            throw assertions.refused("it, or what it stands on, has been revoked")
        }
        throw DatabaseError.serialization
    }

    private func draft(_ claims: CheckedAssertion, below lineage: [NodeID]) -> TokenDraft {
        let told = TokenClaims(
            subject: claims.subject, app: claims.app, key: claims.key.bare, login: claims.login,
            released: claims.released)
        let body = TokenBody(
            realm: realm.id, kind: .serviceToken, parent: claims.node, anchor: claims.anchor, client: claims.instance,
            service: realm.id, scope: realm.tokenEndpoint, jkt: claims.key.thumbprint, claims: told)
        return TokenDraft(
            body, inherited: lineage + [claims.signer], lifetime: lifetimes.serviceToken, refresh: .init(),
            condition: Revocation.isCurrent(lineage, anchor: claims.anchor),
            using: NodeID(
                oneTime: claims.jti, namespace: "assertion \(realm.id) \(assertions.issuer)",
                expires: claims.expires.addingTimeInterval(AssertionCheck.skew)))
    }
}
