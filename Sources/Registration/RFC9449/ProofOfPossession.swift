import Base
import Foundation
import Keys
import TokenTree
import Vocabulary

/// A proof that was good: the key behind it.
public struct ShownKey: Sendable {
    public let key: JSONWebKey
    public var jkt: String { key.thumbprint }
}

/// DPoP proofs (RFC 9449, 4.3) and eduID's JWT made for one request (api.md, "Showing that you hold the key").
public struct ProofOfPossession: Sendable {
    /// How long before or after now a proof may have been made.
    static let window: TimeInterval = 60
    static let longestSelfMade: TimeInterval = 300

    let oneTime: OneTimeStore
    let clock: WallClock
    /// `nil`: this server gives no nonces, and does not look at those of others.
    let nonces: ServerNonce?
    /// Keys of the headers that were shown: each client sends the same one with each proof.
    private let keys = BoundedMemory<SIMD4<UInt64>, JSONWebKey>(most: 5_000)

    public init(oneTime: OneTimeStore, clock: WallClock, nonces: ServerNonce? = nil) {
        (self.oneTime, self.clock, self.nonces) = (oneTime, clock, nonces)
    }

    /// The proof in the `DPoP` header; `nil` when there is none. `accessToken` is what it must be bound to by `ath`;
    /// without one, `ath` is not looked at.
    public func dpop(_ request: PresentedRequest, accessToken: String?) async throws -> ShownKey? {
        guard let text = request.proofs.first else { return nil }
        guard request.proofs.count == 1 else { throw refused("exactly one DPoP header, please") }
        guard let jwt = try? JWT(text) else { throw refused("it is not a compact JWS") }
        guard jwt.type == JWTType.proof.rawValue else { throw refused("typ must be dpop+jwt") }
        let key = try await key(of: jwt)
        guard jwt.isSigned(by: key) else { throw refused("the signature is not by its jwk") }
        guard jwt.string("htm") == request.method else { throw refused("htm is not \(request.method)") }
        guard let htu = jwt.string("htu"), ProofOfPossession.isSame(htu, request.url) else {
            throw refused("htu is not \(request.url)")
        }
        let now = clock.now()
        guard let made = jwt.date("iat"), abs(made.timeIntervalSince(now)) <= ProofOfPossession.window else {
            throw refused("iat must lie within \(Int(ProofOfPossession.window)) seconds of now")
        }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        if let accessToken {
            guard let ath = jwt.string("ath"), ath == Base64URL.encode(Digest.sha256(accessToken)) else {
                throw refused("ath is not the hash of the access token")
            }
        }
        // Before the jti is used up: who is told a nonce may come again with the same one.
        try nonces?.check(jwt.claims["nonce"])
        guard let jti = jwt.string("jti"), (1...256).contains(jti.utf8.count) else {
            throw refused("jti is missing, or longer than 256 bytes")
        }
        guard
            try await oneTime.claim(
                jti, namespace: "dpop \(key.thumbprint)", expires: made.addingTimeInterval(2 * ProofOfPossession.window)
            )
        else {
            throw refused("it was used before")
        }
        return ShownKey(key: key)
    }

    /// The key in the header of a proof, which need not be anybody's.
    private func key(of proof: JWT) async throws -> JSONWebKey {
        let header = Digest.fingerprint(String(Substring(proof.compact.utf8.prefix { $0 != UInt8(ascii: ".") })))
        if let known = keys[header] { return known }
        guard let jwk = proof.header["jwk"] else { throw refused("the header has no jwk") }
        let key: JSONWebKey
        do { key = try await JSONWebKey(jwk) } catch { throw refused("jwk: \(error)") }
        keys[header] = key
        return key
    }

    /// A JWT that the holder of a bound token made for this request; `kid` in its header named the token, `key` is the
    /// token's.
    public func selfMade(_ jwt: JWT, key: JSONWebKey, holder: String?, audiences: [String]) async throws -> ShownKey {
        guard jwt.type == nil || jwt.type == JWTType.plain.rawValue else { throw refused("typ must be JWT or absent") }
        guard jwt.isSigned(by: key) else { throw refused("it is not signed by the token's key") }
        guard let holder, jwt.string("iss") == holder else { throw refused("iss is not the token's holder") }
        guard jwt.audiences.count == 1, let audience = jwt.audiences.first,
            audiences.contains(where: { ProofOfPossession.isSame(audience, $0) })
        else {
            throw refused("aud must be the URL of this request, or \(audiences.last ?? "the server")")
        }
        let expires = try claimTimes(jwt)
        try await claimOnce(jwt, key: key, expires: expires)
        return ShownKey(key: key)
    }

    /// `iat`, `exp` within five minutes, `nbf`; returns when its `jti` may be forgotten. Shared with app codes, which
    /// are such JWTs too.
    public func claimTimes(_ jwt: JWT) throws -> Date {
        let now = clock.now(), window = ProofOfPossession.window
        guard let expires = jwt.date("exp"), expires > now.addingTimeInterval(-window) else {
            throw refused("exp is missing or past")
        }
        guard let made = jwt.date("iat"), made <= now.addingTimeInterval(window) else {
            throw refused("iat is missing or lies in the future")
        }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        guard expires <= now.addingTimeInterval(ProofOfPossession.longestSelfMade + window),
            expires.timeIntervalSince(made) <= ProofOfPossession.longestSelfMade + window
        else {
            throw refused("it may live for \(Int(ProofOfPossession.longestSelfMade)) seconds at most")
        }
        return expires.addingTimeInterval(window)
    }

    /// One namespace for all JWTs by one key: none can serve twice, not even as two things.
    public func claimOnce(_ jwt: JWT, key: JSONWebKey, expires: Date) async throws {
        guard let jti = jwt.string("jti"), (1...256).contains(jti.utf8.count) else {
            throw refused("jti is missing, or longer than 256 bytes")
        }
        guard try await oneTime.claim(jti, namespace: "self-made \(key.thumbprint)", expires: expires) else {
            throw refused("it was used before")
        }
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidProof, "the proof was refused: \(cause)", cause: cause)
    }

    /// RFC 9449, 4.3: after syntax-based normalisation (RFC 3986, 6.2.2 and 6.2.3), without query and fragment.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left == right || (WebAddress(left)?.withoutQuery == WebAddress(right)?.withoutQuery && WebAddress(left) != nil)
    }
}
