import Base
import Foundation
import Keys
import Vocabulary

/// What every client assertion must say (RFC 7523, 3; draft-ietf-oauth-rfc7523bis for `aud` and `typ`; decisions.md,
/// Federation 4, 7).
enum ClientAssertion {
    /// What is asked of it besides, by whom it comes from.
    struct Rule {
        /// `aud` is one of these, or a list of nothing else: who names another server may have been led here by it.
        let audiences: [String]
        /// Seconds: `exp` at most this far from now.
        let longest: TimeInterval
        let needsIssueTime: Bool
        /// What a refusal of `aud` adds, for who can change what is taken.
        var hint = ""

        /// Of an app instance (api.md, "Grants at ISS/token").
        static func instance(_ issuer: String) -> Rule {
            Rule(audiences: [issuer], longest: 300, needsIssueTime: true)
        }

        /// Of a web client, at the endpoint with this URL.
        static func web(_ client: WebClient, at endpoint: String, issuer: String) -> Rule {
            switch client.metadata.assertionAudience {
            case .issuer:
                Rule(
                    audiences: [issuer], longest: 600, needsIssueTime: false,
                    hint: "; a library that names the endpoint needs assertion_audience endpoint set for its client")
            case .endpoint:
                Rule(audiences: [issuer, issuer + "/token", endpoint], longest: 600, needsIssueTime: false)
            }
        }
    }

    static let skew: TimeInterval = 60

    static func refused(_ cause: String) -> OAuthError {
        OAuthError(.invalidClient, "the client assertion was refused: \(cause)", cause: cause)
    }

    /// `typ`, `aud`, `iat`, `exp`, `nbf`, `jti`. Its signature was verified: what is said here tells nobody else
    /// anything.
    static func check(_ jwt: JWT, by rule: Rule, at now: Date) throws -> (jti: String, expires: Date) {
        switch jwt.type {
        case nil, JWTType.plain.rawValue, JWTType.clientAuthentication.rawValue: break
        case let type?: throw refused("typ \(type) is not that of a client assertion")
        }
        let audiences = jwt.audiences
        guard !audiences.isEmpty, Set(audiences).count == audiences.count,
            audiences.allSatisfy(rule.audiences.contains)
        else {
            throw refused("aud must be \(rule.audiences.joined(separator: " or ")) and nothing else\(rule.hint)")
        }
        guard let expires = jwt.date("exp") else { throw refused("exp is missing or not a number") }
        if let issued = try issueTime(jwt, rule) {
            guard issued <= now.addingTimeInterval(skew) else {
                throw refused("iat lies in the future; is the device's clock right?")
            }
            guard expires.timeIntervalSince(issued) <= rule.longest + skew else { throw tooLong(rule) }
        }
        guard expires > now.addingTimeInterval(-skew) else { throw refused("it has expired") }
        guard expires <= now.addingTimeInterval(rule.longest + skew) else { throw tooLong(rule) }
        guard jwt.hasBegun(at: now) else { throw refused("nbf lies in the future, or is no number") }
        guard let jti = jwt.string("jti"), (1...256).contains(jti.utf8.count) else {
            throw refused("jti is missing, or longer than 256 bytes")
        }
        return (jti, expires.addingTimeInterval(skew))
    }

    /// `nil` where it says none and need not (RFC 7523, 3, 6).
    private static func issueTime(_ jwt: JWT, _ rule: Rule) throws -> Date? {
        if jwt["iat"] == nil, !rule.needsIssueTime { return nil }
        guard let issued = jwt.date("iat") else { throw refused("iat is missing or not a number") }
        return issued
    }

    private static func tooLong(_ rule: Rule) -> OAuthError {
        refused("it may live for \(Int(rule.longest)) seconds at most")
    }
}
