import Base

/// The key that a JWT brings with it (`cnf`, RFC 7800, 3.1): for a token that is yet to be made, and that only this key
/// will show.
///
/// Whoever writes `cnf` wants a bound token. So one that is there and names no key that can be used refuses the JWT:
/// leaving it out of account would hand out a token without binding instead. Members that are no methods of
/// confirmation are ignored, as 3.1 has it.
public enum Confirmation {
    /// In words for whoever made the JWT.
    public struct Refused: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// Members that name a key in another way than by value: encrypted (3.3), by reference (3.5), by certificate (RFC
    /// 8705, 3.1). None can be checked here, so none may stand beside `jwk` and say something else.
    private static let others = ["jwe", "jku", "x5t#S256", "x5t", "x5c", "x5u"]

    /// `nil` without `cnf`. Otherwise the public key in `cnf.jwk`, with which `jkt` and `kid` must agree where they
    /// are.
    public static func key(of jwt: JWT) async throws -> JSONWebKey? {
        guard let claim = jwt["cnf"] else { return nil }
        guard let members = claim.object else { throw Refused(description: "cnf must be an object") }
        if let other = others.first(where: { members[$0] != nil }) {
            throw Refused(description: "cnf.\(other) is not understood: bring the key as cnf.jwk")
        }
        guard let jwk = members["jwk"] else {
            throw Refused(description: "cnf names no key: cnf.jwk, the public key itself, is missing")
        }
        let key: JSONWebKey
        do { key = try await JSONWebKey(jwk) } catch {
            throw Refused(description: "cnf.jwk is not acceptable: \(error)")
        }
        guard members["jkt"] == nil || members["jkt"]?.string == key.thumbprint else {
            throw Refused(description: "cnf.jkt is not the thumbprint of cnf.jwk")
        }
        guard let kid = members["kid"] else { return key }
        guard let kid = kid.string, key.kid == nil || key.kid == kid else {
            throw Refused(description: "cnf.kid is not that of cnf.jwk")
        }
        return key
    }
}
