import Base
import Federation
import TokenTree

/// What an assertion says, made from its row: on the wire and in introspection.
enum AssertionClaims {
    static func claims(of row: TokenRow, issuer: String, names: PairwiseNames) -> JSONObject {
        let body = row.body, service = body.service ?? ""
        var claims = body.claims.login.json
        claims["iss"] = .string(issuer)
        claims["sub"] = JSONValue(body.claims.subject)
        claims["aud"] = JSONValue(body.claims.audience)
        claims["azp"] = JSONValue(body.claims.app)
        claims["client_id"] = JSONValue(body.client)
        claims["jti"] = .string(row.id.description)
        claims["iat"] = .integer(row.issuedAt.numericDate)
        claims["exp"] = .integer(row.expiresAt.numericDate)
        claims["lineage"] = JSONValue(strings: row.lineage.map { names.node($0, at: service) })
        claims["cnf"] = body.confirmation(withKey: true)
        for member in body.claims.released where claims[member.name] == nil { claims[member.name] = member.value }
        return claims
    }
}
