import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Traces
import Vocabulary

/// Who shows a live token with this request, and how.
public struct AuthenticatedToken: Sendable {
    public let token: TokenRow
    /// The key that was shown; `nil` for a bearer token, which has none.
    public let key: ShownKey?
    /// The very JWT in the Authorization header.
    public let presented: String

    public var actor: AuditActor {
        AuditActor(
            name: token.body.bundle.map { "bundle:\($0)" } ?? token.body.client.map { "instance:\($0)" }
                ?? "token:\(token.id)")
    }

    /// With where it came from.
    public func actor(_ request: PresentedRequest) -> AuditActor {
        AuditActor(name: actor.name, origin: request.origin)
    }
}

/// Reads the Authorization header of a protected endpoint (api.md, "Showing that you hold the key"; RFC 6750, 2.1; RFC
/// 9449, 7.1).
public final class ResourceCheck: Sendable {
    let lookup: TokenLookup
    let proofs: ProofOfPossession
    let clock: WallClock
    /// The resource for which a token must have been made.
    let audience: String
    /// Of the issuer below which all of these tokens hang; `nil` where none is, or it is never too old.
    let freshness: IssuerFreshness?
    let limit: AccountLimit?

    /// `lookup` is of who issued the tokens that are taken here; `audience` is that realm's own base, or that of
    /// another resource in the server (RFC 8707).
    public init(
        _ lookup: TokenLookup, audience: String? = nil, proofs: ProofOfPossession, freshness: IssuerFreshness? = nil,
        limit: AccountLimit? = nil, clock: WallClock
    ) {
        (self.lookup, self.proofs, self.freshness, self.clock) = (lookup, proofs, freshness, clock)
        self.limit = limit
        self.audience = audience ?? lookup.realm.base
    }

    /// The holder of a live token of one of these kinds. 401 for none, dead or badly proven; 403 for another kind.
    public func require(_ kinds: [TokenKind], _ request: PresentedRequest) async throws -> AuthenticatedToken {
        guard let holder = try await holder(request) else {
            throw OAuthError(.invalidToken, "show an access token in the Authorization header")
        }
        guard kinds.contains(holder.token.body.kind) else {
            throw OAuthError(
                .insufficientScope,
                "this endpoint takes another kind of token: \(kinds.map(\.rawValue).joined(separator: " or "))")
        }
        return holder
    }

    /// `nil` when the request shows no token at all. 503 where nothing was heard for too long of what it hangs below.
    public func holder(_ request: PresentedRequest) async throws -> AuthenticatedToken? {
        guard let credentials = request.credentials, ["dpop", "bearer"].contains(credentials.scheme) else { return nil }
        try await freshness?.require()
        do {
            let holder = try await Phase.run("check a token") {
                credentials.scheme == "dpop"
                    ? try await byDPoP(credentials.value, request) : try await byBearer(credentials.value, request)
            }
            try limit?.take(holder.token.body, request)
            return holder
        } catch let refusal as OAuthError where [.invalidProof, .useNonce].contains(refusal.code) {
            // At a protected resource a bad proof is a 401 (RFC 9449, 7.1 and 9).
            throw OAuthError(refusal.code, refusal.description, cause: refusal.cause, status: 401)
        }
    }

    /// The key shown for a refresh token of `family` by a JWT made for this request: the access token that it stands
    /// for may have expired, which is why one refreshes. `nil` where no such JWT is shown.
    func key(of family: TokenRow, _ request: PresentedRequest) async throws -> ShownKey? {
        guard let credentials = request.credentials, credentials.scheme == "bearer",
            let jwt = try? JWT(credentials.value),
            jwt.type != JWTType.accessToken.rawValue, let jwk = family.body.claims.key
        else { return nil }
        return try await proofs.selfMade(
            jwt, key: try await JSONWebKey(jwk), holder: family.body.bundle ?? family.body.client,
            audiences: [request.url, lookup.realm.base])
    }

    /// The row behind an access token of this realm for this resource, if it lives.
    func live(_ text: String) async throws -> TokenRow? { taken(try await lookup.accessToken(text)) }

    private func taken(_ row: TokenRow?) -> TokenRow? {
        guard let row, row.isLive(at: clock.now()) else { return nil }
        // A token for another resource is nothing here (RFC 8707, 2.2). An assertion's audience is its service's;
        // nobody holds one here.
        guard row.body.kind == .assertion || (row.body.claims.audience ?? lookup.realm.base) == audience else {
            return nil
        }
        return row
    }

    private func byDPoP(_ text: String, _ request: PresentedRequest) async throws -> AuthenticatedToken {
        guard let row = try await live(text), row.body.kind != .assertion else { throw dead }
        try checkCertificate(row, request)
        guard let jkt = row.body.jkt else {
            throw OAuthError(.invalidToken, "this token is not bound to a key: show it as Bearer")
        }
        try limit?.look(row.body, request)
        guard let proof = try await proofs.dpop(request, accessToken: text) else {
            throw OAuthError(.invalidProof, "a DPoP proof must come with the token")
        }
        guard proof.jkt == jkt else { throw OAuthError(.invalidToken, "the proof is by another key than the token's") }
        return AuthenticatedToken(token: row, key: proof, presented: text)
    }

    /// A bearer token itself, or eduID's JWT made for this request in the name of a bound one.
    private func byBearer(_ text: String, _ request: PresentedRequest) async throws -> AuthenticatedToken {
        guard let jwt = try? JWT(text) else { throw dead }
        if jwt.type == JWTType.accessToken.rawValue {
            guard let row = try await live(text) else { throw dead }
            try checkCertificate(row, request)
            guard row.body.jkt == nil else {
                throw OAuthError(
                    .invalidToken,
                    "this token is bound to a key: show it with a DPoP proof, or make a JWT for the request")
            }
            return AuthenticatedToken(token: row, key: nil, presented: text)
        }
        guard let id = jwt.kid.flatMap({ NodeID($0) }), let row = taken(try await lookup.find(id)),
            row.body.kind != .assertion, let jwk = row.body.claims.key
        else { throw dead }
        try checkCertificate(row, request)
        try limit?.look(row.body, request)
        let holder = row.body.bundle ?? row.body.client
        let shown = try await proofs.selfMade(
            jwt, key: try await JSONWebKey(jwk), holder: holder, audiences: [request.url, audience])
        return AuthenticatedToken(token: row, key: shown, presented: text)
    }

    /// RFC 8705, 3: a token that is bound to a certificate comes over a connection with that one.
    private func checkCertificate(_ row: TokenRow, _ request: PresentedRequest) throws {
        guard let bound = row.body.claims.certificate else { return }
        guard request.certificate?.thumbprint == bound else {
            throw OAuthError(
                .invalidToken,
                "this token is bound to a client certificate: show it over mutual TLS with that certificate")
        }
    }

    private var dead: OAuthError {
        OAuthError(
            .invalidToken, "the token is unknown, expired or revoked; refresh it, or get another as you got this one")
    }
}
