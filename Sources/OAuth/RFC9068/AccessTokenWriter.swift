import Base
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Turns a row of the tree into the JWT that stands for it (RFC 9068; RFC 7800 for `cnf`).
public struct AccessTokenWriter: Sendable {
    let realm: Realm
    let keys: SigningKeys
    let names: PairwiseNames

    public init(realm: Realm, keys: SigningKeys, names: PairwiseNames) {
        (self.realm, self.keys, self.names) = (realm, keys, names)
    }

    /// RFC 6749, 5.1. `clientID` is told where the answer makes a client.
    public func respond(_ issued: IssuedToken, clientID: String? = nil) async throws -> TokenResponse {
        let row = issued.row
        let token = try await keys.sign(type: JWTType.accessToken.rawValue, claims: claims(of: row))
        return TokenResponse(
            accessToken: token, kind: row.body.jkt == nil ? .bearer : .dpop, expiresIn: issued.expiresIn,
            refreshToken: issued.refreshToken, scope: row.body.scope, clientID: clientID)
    }

    private func claims(of row: TokenRow) -> JSONObject {
        let body = row.body
        // RFC 9068, 2.2.1; what a step-up looks at (RFC 9470, 6.1).
        var claims = body.claims.login.json
        claims["iss"] = .string(realm.base)
        claims["aud"] = .string(body.claims.audience ?? realm.base)
        claims["sub"] = .string(body.subject ?? row.id.description)
        claims["client_id"] = JSONValue(body.bundle ?? body.client)
        claims["jti"] = .string(row.id.description)
        claims["iat"] = .integer(row.issuedAt.numericDate)
        claims["exp"] = .integer(row.expiresAt.numericDate)
        if let scope = body.scope, !scope.isEmpty { claims["scope"] = .string(scope) }
        claims["cnf"] = body.confirmation(withKey: true)
        if let service = body.claims.lineage {
            claims["lineage"] = JSONValue(strings: row.lineage.map { names.node($0, at: service) })
        }
        return claims
    }
}

extension TokenBody {
    /// Whom a token is about: the person by the name that its audience knows, or the client itself.
    var subject: String? { claims.subject ?? account?.uuidString.lowercased() ?? client }

    /// `cnf` (RFC 7800, 3.1; RFC 8705, 3.1; RFC 9449, 6): what must be shown with the token; `nil` for a bearer token.
    ///
    /// A JWT says the whole key, so that who checks it alone can; an answer about a token says the thumbprint, which is
    /// enough for who has the proof at hand.
    func confirmation(withKey: Bool) -> JSONValue? {
        var confirmation: JSONObject = [:]
        if let jkt, !withKey || claims.key != nil {
            confirmation["jwk"] = withKey ? claims.key : nil
            confirmation["jkt"] = .string(jkt)
        }
        confirmation[CertificateBinding.member] = claims.certificate.map(JSONValue.string)
        return confirmation.isEmpty ? nil : .object(confirmation)
    }
}
