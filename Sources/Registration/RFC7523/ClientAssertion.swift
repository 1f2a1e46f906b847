import Base
import Foundation
import Keys
import Vocabulary

/// What every client assertion must say (RFC 7523, 3; draft-ietf-oauth-rfc7523bis for `aud` and `typ`; decisions.md,
/// Federation 4, 7).
enum ClientAssertion {
    /// `exp` at most this far from now.
    static let longest: TimeInterval = 300
    static let skew: TimeInterval = 60

    static func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidClient, "the client assertion was refused: \(cause)", cause: cause)
    }

    /// `typ`, `aud`, `iat`, `exp`, `nbf`, `jti`.
    static func check(_ jwt: JWT, issuer: String, at now: Date) throws -> (jti: String, expires: Date) {
        switch jwt.type {
        case nil, JWTType.plain.rawValue, JWTType.clientAuthentication.rawValue: break
        case let type?: throw refused("typ \(type) is not that of a client assertion")
        }
        let audiences = jwt.audiences
        guard audiences == [issuer] else { throw refused("aud must be \(issuer) and nothing else") }
        guard let issued = jwt.date("iat") else { throw refused("iat is missing or not a number") }
        guard let expires = jwt.date("exp") else { throw refused("exp is missing or not a number") }
        guard issued <= now.addingTimeInterval(skew) else {
            throw refused("iat lies in the future; is the device's clock right?")
        }
        guard expires > now.addingTimeInterval(-skew) else { throw refused("it has expired") }
        guard expires <= now.addingTimeInterval(longest + skew), expires.timeIntervalSince(issued) <= longest + skew
        else {
            throw refused("it may live for \(Int(longest)) seconds at most")
        }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        guard let jti = jwt.string("jti"), (1...256).contains(jti.utf8.count) else {
            throw refused("jti is missing, or longer than 256 bytes")
        }
        return (jti, expires.addingTimeInterval(skew))
    }
}
