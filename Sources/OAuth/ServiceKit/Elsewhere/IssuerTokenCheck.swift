import Base
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Access tokens that the issuer gave to machines for a service which lives at another server (RFC 8707; RFC 9068, 4):
/// no row of them is here.
///
/// | the token | is alive |
/// |---|---|
/// | says what it hangs from (`lineage`, docs/local-checks.md) | while nothing of that has ended, as far as events have told |
/// | does not | if the issuer says so, who is asked each time (RFC 7662) |
struct IssuerTokenCheck: Sendable {
    let realm: Realm
    let issuer: IssuerConnection
    let remoteKeys: RemoteKeys
    let tree: Revocation
    let proofs: ProofOfPossession
    let freshness: IssuerFreshness?
    let clock: WallClock

    /// `nil` when the request shows none. Throws `OAuthError`: 401 for what is dead, another's or badly proven, 503
    /// where the issuer's keys cannot be read, it does not answer, or was not heard for too long.
    func holder(_ request: PresentedRequest) async throws -> AuthenticatedToken? {
        guard let credentials = request.credentials, ["dpop", "bearer"].contains(credentials.scheme) else { return nil }
        try await freshness?.require()
        let checked = try await checked(credentials.value)
        let key: ShownKey?
        do {
            key = try await proven(checked, request, isProof: credentials.scheme == "dpop")
        } catch let refusal as OAuthError where [.invalidProof, .useNonce].contains(refusal.code) {
            // At a protected resource a bad proof is a 401 (RFC 9449, 7.1 and 9).
            throw OAuthError(refusal.code, refusal.description, cause: refusal.cause, status: 401)
        }
        return AuthenticatedToken(token: try await living(checked), key: key, presented: credentials.value)
    }

    private struct Checked {
        let jwt: JWT
        let signer: NodeID
        let key: JSONWebKey?
        let expires: Date
    }

    /// Signature, audience, times and key. Whether it was revoked is not looked at.
    private func checked(_ text: String) async throws -> Checked {
        guard let jwt = try? JWT(text), jwt.type == JWTType.accessToken.rawValue,
            jwt.string("iss") == issuer.issuer, jwt.audiences == [realm.base]
        else { throw dead("it is no access token of \(issuer.issuer) for \(realm.base)") }
        let keys: [JSONWebKey]
        do {
            keys = try await remoteKeys.key(
                kid: jwt.kid, algorithm: jwt.algorithm, from: issuer.issuer + "/jwks.json")
        } catch is RemoteKeys.Unreachable {
            throw OAuthError(
                .temporarilyUnavailable, "the keys of the issuer cannot be read now; try again", retryAfter: 2)
        }
        guard let signer = keys.first(where: { jwt.isSigned(by: $0) }) else {
            throw dead("the signature is by no key of \(issuer.issuer)")
        }
        let now = clock.now()
        guard let expires = jwt.date("exp"), now < expires, jwt.hasBegun(at: now) else {
            throw dead("it has expired, or has not begun")
        }
        let key: JSONWebKey?
        do { key = try await Confirmation.key(of: jwt) } catch let refusal as Confirmation.Refused {
            throw dead(refusal.description)
        }
        return Checked(jwt: jwt, signer: ForeignNode.signer(signer, of: issuer.issuer), key: key, expires: expires)
    }

    private func proven(_ token: Checked, _ request: PresentedRequest, isProof: Bool) async throws -> ShownKey? {
        guard let key = token.key else {
            guard !isProof else {
                throw OAuthError(.invalidToken, "this token is not bound to a key: show it as Bearer")
            }
            return nil
        }
        guard isProof else {
            throw OAuthError(.invalidToken, "this token is bound to a key: show it with a DPoP proof")
        }
        guard let shown = try await proofs.dpop(request, accessToken: token.jwt.compact) else {
            throw OAuthError(.invalidProof, "a DPoP proof must come with the token")
        }
        guard shown.jkt == key.thumbprint else {
            throw OAuthError(.invalidToken, "the proof is by another key than the token's")
        }
        return shown
    }

    private func living(_ token: Checked) async throws -> TokenRow {
        let jwt = token.jwt, lineage = try await standing(token)
        guard let client = jwt.string("client_id"), let name = jwt.string("jti"), let id = NodeID(name) else {
            throw dead("client_id or jti is missing")
        }
        // A machine is its own subject; of whom a person stands behind, the name that the client has stands there.
        let person = jwt.string("sub").flatMap { $0 == client ? nil : $0 }
        let body = TokenBody(
            realm: "idp", kind: .accessToken, parent: person == nil ? nil : token.signer,
            anchor: lineage.first ?? token.signer, client: client, scope: jwt.string("scope"),
            jkt: token.key?.thumbprint,
            claims: TokenClaims(subject: person, audience: realm.base, key: token.key?.bare))
        return TokenRow(
            elsewhere: lineage + [ForeignNode.id(name, of: issuer.issuer)], id: id,
            issuedAt: jwt.date("iat") ?? clock.now(), expiresAt: token.expires, body: body)
    }

    /// What it hangs from, without itself: of a token that does not say so the key that signed it alone.
    private func standing(_ token: Checked) async throws -> [NodeID] {
        if let told = token.jwt["lineage"] {
            guard let names = told.strings, (1...64).contains(names.count) else { throw dead("its lineage is none") }
            let nodes = [token.signer] + names.map { ForeignNode.id($0, of: issuer.issuer) }
            guard try await !tree.isBroken(nodes, anchor: nodes[0]) else {
                throw dead("it, or what it stands on, has been revoked")
            }
            return nodes.dropLast()
        }
        let answer: JSONObject
        do { answer = try await issuer.introspect(token.jwt.compact) } catch let error as IssuerConnection.Unanswered {
            throw OAuthError(
                .temporarilyUnavailable, "the issuer does not say now whether this token lives; try again",
                cause: error.description, retryAfter: 2)
        }
        guard answer["active"] == true else { throw dead("the issuer says that it is dead, or another's") }
        return [token.signer]
    }

    private func dead(_ cause: String) -> OAuthError {
        OAuthError(
            .invalidToken, "the token is unknown, expired or revoked, or not for this service; get another",
            cause: cause)
    }
}
