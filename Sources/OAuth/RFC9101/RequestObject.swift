import Base
import Foundation
import Keys
import Registration
import Vocabulary

/// An authorization request as a JWT, by value (RFC 9101). By reference it is refused: fetching a caller's URL is a
/// door that nobody here needs.
struct RequestObject: Sendable {
    static let longest: TimeInterval = 600
    static let skew: TimeInterval = 60

    let clients: ClientAuthentication
    let issuer: String
    let clock: WallClock

    /// The parameters inside; those outside no longer count (RFC 9101, 6.3), and `client_id` must be the same in both.
    func parameters(_ text: String, of client: WebClient) async throws -> OAuthParameters {
        guard let jwt = try? JWT(text) else {
            throw refused("it is not a compact JWS; encrypted and unsigned ones are not taken")
        }
        guard [nil, JWTType.plain.rawValue, JWTType.requestObject.rawValue].contains(jwt.type) else {
            throw refused("typ must be \(JWTType.requestObject.rawValue)")
        }
        if let algorithm = client.metadata.requestObjectAlgorithm, jwt.algorithm != algorithm {
            throw refused("alg must be \(algorithm), as registered")
        }
        guard client.jwks != nil || client.jwksURI != nil else { throw refused("this client registered no keys") }
        guard try await clients.keys(of: client, for: jwt).contains(where: { jwt.isSigned(by: $0) }) else {
            throw refused("the signature is by none of the client's keys")
        }
        guard jwt.string("iss") == client.id else { throw refused("iss must be the client_id") }
        guard jwt.audiences == [issuer] else { throw refused("aud must be \(issuer) and nothing else") }
        let now = clock.now(), skew = RequestObject.skew
        guard let expires = jwt.date("exp"), expires > now.addingTimeInterval(-skew),
            expires <= now.addingTimeInterval(RequestObject.longest + skew)
        else {
            throw refused("exp must lie within \(Int(RequestObject.longest)) seconds from now")
        }
        if jwt["iat"] != nil {
            guard let made = jwt.date("iat"), made <= now.addingTimeInterval(skew) else {
                throw refused("iat lies in the future")
            }
        }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        guard jwt.string("client_id") == nil || jwt.string("client_id") == client.id else {
            throw refused("client_id inside is another")
        }
        guard jwt["request"] == nil, jwt["request_uri"] == nil else {
            throw refused("it must not hold another request")
        }
        if let flag = jwt.claims.first(where: { $0.value.bool != nil }) {
            throw refused("\(flag.name) is true or false, and no parameter of ours is that")
        }
        return OAuthParameters(json: RequestObject.texts(jwt.claims))
    }

    /// Parameters that are JSON inside (`claims`, `max_age`) are text outside; several `resource`s are an array.
    private static func texts(_ claims: JSONObject) -> JSONObject {
        let own: Set<String> = ["iss", "aud", "exp", "iat", "nbf", "jti", "sub"]
        return JSONObject(
            claims.filter { !own.contains($0.name) && $0.value != .null }.map {
                ($0.name, $0.name == "resource" ? $0.value : .string($0.value.string ?? $0.value.text))
            })
    }

    private func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidRequestObject, "the request object was refused: \(cause)", cause: cause)
    }
}
