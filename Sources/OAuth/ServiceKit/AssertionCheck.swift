import Base
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// What an assertion says that was made for this service.
struct CheckedAssertion: Sendable {
    let jti: String, subject: String, instance: String, app: String?
    let key: JSONWebKey
    let expires: Date
    /// What it hangs from as this service keeps it: root first, itself last.
    let lineage: [NodeID]
    let signer: NodeID
    let released: JSONObject
    /// How the person logged in at the IdP (RFC 9470).
    let login: LoginClaims

    var node: NodeID { lineage[lineage.count - 1] }
    /// Pando's lineages begin epoch, version, instance — or epoch, account, session or grant, for a web client: the
    /// third is the anchor of all that this instance, or this client for this person, holds here.
    var anchor: NodeID { lineage.count > 2 ? lineage[2] : lineage[0] }
}

/// Whether a text is an assertion for this service by the one authority whose assertions it takes (protocols/eduid.md,
/// 3.8): type, audience, signature, times, key and lineage. Whether it was used, or something of its lineage has ended,
/// is not looked at.
struct AssertionCheck: Sendable {
    static let longest: TimeInterval = 300
    static let skew: TimeInterval = 60

    let realm: Realm
    let issuer: String
    let remoteKeys: RemoteKeys
    let clock: WallClock

    /// Throws `OAuthError`: 400 `invalid_grant` for what is none, 503 where the issuer's keys cannot be read.
    func checked(_ text: String) async throws -> CheckedAssertion {
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
        let now = clock.now(), skew = AssertionCheck.skew
        guard let made = jwt.date("iat"), let expires = jwt.date("exp"), expires > now.addingTimeInterval(-skew),
            made <= now.addingTimeInterval(skew),
            expires.timeIntervalSince(made) <= AssertionCheck.longest + skew
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
        return CheckedAssertion(
            jti: jti, subject: subject, instance: instance, app: jwt.string("azp"), key: key, expires: expires,
            lineage: lineage.map { ForeignNode.id($0, of: issuer) },
            signer: ForeignNode.signer(signer, of: issuer), released: jwt.claims.filtered { !own.contains($0) },
            login: LoginClaims(jwt.claims))
    }

    func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidGrant, "the assertion was refused: \(cause)", cause: cause)
    }
}
