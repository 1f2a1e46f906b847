import Foundation

/// Why a JWT was not taken, in words for its sender.
struct JWTRefused: Error, CustomStringConvertible {
    let description: String
    /// Nothing else was wrong so far but whose signature it is.
    var isOfUnknownKey = false
}

/// Checks that every JWT of an issuer passes, whatever it is for.
struct SignedJWT: Sendable {
    let issuer: String
    let keys: KeySource
    let now: @Sendable () -> Date

    /// - Throws: `JWTRefused`; `OAuthError` where the keys cannot be read now.
    func verified(_ text: String, type: String) async throws -> (jwt: JWT, signer: VerificationKey) {
        guard let jwt = try? JWT(text) else { throw JWTRefused(description: "it is not a compact JWT") }
        guard jwt.type == type else { throw JWTRefused(description: "typ must be \(type)") }
        guard jwt.claims["iss"]?.string == issuer else { throw JWTRefused(description: "it is not from \(issuer)") }
        guard let signer = try await keys.keys(jwt.keyID).first(where: { jwt.isSigned(by: $0) }) else {
            throw JWTRefused(description: "the signature is by no key of \(issuer)", isOfUnknownKey: true)
        }
        guard jwt.hasBegun(at: now()) else { throw JWTRefused(description: "nbf lies in the future, or is no number") }
        return (jwt, signer)
    }
}

extension JWT {
    /// That it lives, was not made in the future, and lives no longer than `longest` seconds.
    func checkTimes(now: Date, longest: TimeInterval? = nil) throws {
        guard let made = date("iat"), made <= now.addingTimeInterval(JWT.skew) else {
            throw JWTRefused(description: "iat is missing, or lies in the future")
        }
        guard let expires = date("exp"), expires > now.addingTimeInterval(-JWT.skew) else {
            throw JWTRefused(description: "it has expired")
        }
        if let longest, expires.timeIntervalSince(made) > longest + JWT.skew {
            throw JWTRefused(description: "it lives for more than \(Int(longest)) seconds")
        }
    }
}

/// The key that a JWT brings, or is bound to (`cnf`, RFC 7800, 3.1).
enum Confirmation {
    /// Members that name a key in another way than by value, which nobody here can check.
    private static let others = ["jwe", "jku", "x5t#S256", "x5t", "x5c", "x5u"]

    /// `nil` without `cnf`. One that names no key which can be used refuses the JWT: passing it over would unbind it.
    static func key(of jwt: JWT) throws -> VerificationKey? {
        guard let members = jwt.claims["cnf"] else { return nil }
        guard let jwk = members["jwk"], !others.contains(where: { members[$0] != nil }) else {
            throw JWTRefused(description: "cnf must name the key as cnf.jwk alone")
        }
        guard let key = try? VerificationKey(jwk) else { throw JWTRefused(description: "cnf.jwk is not acceptable") }
        guard members["jkt"] == nil || members["jkt"]?.string == key.thumbprint else {
            throw JWTRefused(description: "cnf.jkt is not the thumbprint of cnf.jwk")
        }
        return key
    }
}
