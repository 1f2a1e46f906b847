import Accounts
import Base
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// ID tokens (OpenID Connect Core, 2, 3.1.3.6 and 12.2).
struct IDToken: Sendable {
    /// Seconds; it is read once, at login.
    static let lifetime: TimeInterval = 600

    let issuer: String
    let keys: SigningKeys
    let clock: WallClock

    /// Whether it can be written: the operator may have ceased to sign by what the client registered.
    func isOffered(to client: WebClient) -> Bool {
        keys.algorithms.contains(keys.idTokenAlgorithm(registered: client.metadata.idTokenAlgorithm))
    }

    /// `jti` is the access token's: through it an exchange finds the node that stands behind (RFC 8693).
    ///
    /// For the web client that gets `accessToken`; everything else it says stands in the row. `person` may be `nil`
    /// where the row names nothing that is told of them. `refreshing`, with the claims that the person agreed to: it
    /// answers no authorization request, so it bears no `nonce`; whom it is about, for whom, and when they logged in
    /// stands in the row as it did at first.
    func write(
        _ row: TokenRow, to client: WebClient, person: Account?, accessToken: String, refreshing agreed: [String]? = nil
    ) async throws -> String {
        let told = row.body.claims, now = clock.now()
        let algorithm = keys.idTokenAlgorithm(registered: client.metadata.idTokenAlgorithm)
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": JSONValue(told.subject), "aud": .string(client.id),
            "iat": .integer(now.numericDate),
            "exp": .integer(now.addingTimeInterval(IDToken.lifetime).numericDate), "jti": .string(row.id.description),
        ]
        if agreed == nil { claims["nonce"] = told.nonce.map(JSONValue.string) }
        claims["sid"] = told.session.map(JSONValue.string)
        for member in told.login.json { claims[member.name] = member.value }
        claims["at_hash"] = .string(algorithm.halfHash(of: accessToken))
        let single = told.idTokenNames
        if let person, !single.isEmpty {
            let released = ClaimsRelease(client: client, agreed: agreed)
            for member in released.claims(of: person, released.names(Scope(names: []), single))
            where claims[member.name] == nil { claims[member.name] = member.value }
        }
        return try await keys.sign(type: "JWT", claims: claims, algorithm: algorithm)
    }
}
