import Base
import Foundation
import Keys
import Vocabulary

/// What a logout token must say (OpenID Connect Back-Channel Logout 1.0, 2.6).
struct LogoutTokenCheck: Sendable {
    /// Whose sessions end.
    struct Subject: Sendable, Equatable {
        let subject: String?
        let sid: String?
        let jti: String
        let expires: Date
    }

    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// Seconds that one is taken after it was made: where it is known for longer it would have to be remembered longer.
    static let longest: TimeInterval = 600

    let issuer: String
    let clientID: String
    let now: Date

    /// Whether what the token says is meant for us and now. Its signature, and that it comes once, are looked at
    /// besides.
    func check(_ jwt: JWT) throws(UpstreamRefusal) -> Subject {
        switch jwt.type {
        case nil, JWTType.plain.rawValue, JWTType.logout.rawValue: break
        default: throw .invalid("typ")
        }
        guard jwt.string("iss") == issuer else { throw .invalid("iss") }
        guard jwt.audiences == [clientID] else { throw .invalid("aud") }
        guard let issued = jwt.date("iat"), issued <= now.addingTimeInterval(JWT.skew),
            issued > now.addingTimeInterval(-LogoutTokenCheck.longest)
        else { throw .invalid("iat") }
        // Providers of before the errata set has none; `iat` bounds it.
        if jwt["exp"] != nil {
            guard let expires = jwt.date("exp"), expires > now.addingTimeInterval(-JWT.skew) else {
                throw .invalid("exp")
            }
        }
        guard let jti = jwt.string("jti"), (1...256).contains(jti.utf8.count) else { throw .invalid("jti") }
        guard jwt["events"]?[LogoutTokenCheck.event]?.object != nil else { throw .invalid("events") }
        // An ID token is none (2.6, 7).
        guard jwt["nonce"] == nil else { throw .invalid("nonce") }
        let subject = jwt.string("sub"), sid = jwt.string("sid")
        guard subject != nil || sid != nil, subject?.isEmpty != true, sid?.isEmpty != true else {
            throw .invalid("neither sub nor sid")
        }
        return Subject(
            subject: subject, sid: sid, jti: jti,
            expires: issued.addingTimeInterval(LogoutTokenCheck.longest + JWT.skew))
    }
}
