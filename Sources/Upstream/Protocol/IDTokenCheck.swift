import Base
import Foundation
import Keys
import Vocabulary

/// What an ID token must say (OpenID Connect Core, 3.1.3.7).
struct IDTokenCheck: Sendable {
    /// Seconds that one is taken after it was made: it was made for the answer that it came with.
    static let longest: TimeInterval = 600

    let issuer: String
    let clientID: String
    let nonce: String
    /// Seconds; asked for, so `auth_time` has to be there.
    let maxAge: TimeInterval?
    /// When the person was sent there.
    let startedAt: Date
    let now: Date

    /// Whether what the token says is meant for us and now. Its signature is looked at besides.
    func check(_ jwt: JWT, accessToken: String?) throws(UpstreamRefusal) {
        guard jwt.type == nil || jwt.type == JWTType.plain.rawValue else { throw .invalid("typ") }
        guard jwt.string("iss") == issuer else { throw .invalid("iss") }
        guard jwt.audiences == [clientID] else { throw .invalid("aud") }
        guard jwt["azp"] == nil || jwt.string("azp") == clientID else { throw .invalid("azp") }
        guard let subject = jwt.string("sub"), (1...255).contains(subject.utf8.count) else { throw .invalid("sub") }
        guard let expires = jwt.date("exp"), expires > now.addingTimeInterval(-JWT.skew) else { throw .invalid("exp") }
        guard let issued = jwt.date("iat"), issued <= now.addingTimeInterval(JWT.skew),
            issued > now.addingTimeInterval(-IDTokenCheck.longest)
        else { throw .invalid("iat") }
        guard let told = jwt.string("nonce"), ConstantTime.equal(told, nonce) else { throw .invalid("nonce") }
        try checkHash(jwt, accessToken)
        try checkTime(jwt)
    }

    private func checkHash(_ jwt: JWT, _ accessToken: String?) throws(UpstreamRefusal) {
        guard jwt["at_hash"] != nil else { return }
        guard let algorithm = SigningAlgorithm(rawValue: jwt.algorithm), let accessToken,
            let told = jwt.string("at_hash"),
            ConstantTime.equal(told, algorithm.halfHash(of: accessToken))
        else { throw .invalid("at_hash") }
    }

    private func checkTime(_ jwt: JWT) throws(UpstreamRefusal) {
        guard jwt["auth_time"] != nil else {
            if maxAge != nil { throw .invalid("auth_time is missing") }
            return
        }
        guard let time = jwt.date("auth_time"), time <= now.addingTimeInterval(JWT.skew) else {
            throw .invalid("auth_time")
        }
        if let maxAge, time < startedAt.addingTimeInterval(-maxAge - JWT.skew) { throw .stale }
    }
}
