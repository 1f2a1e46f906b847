import Base
import Foundation
import Keys
import Vocabulary

/// A login without a browser that is under way, as its app holds it (`auth_session` of
/// draft-ietf-oauth-first-party-apps): which factor was right, and what is asked meanwhile. Of one login one is
/// completed, whatever sessions it went through.
struct AuthSession: Sendable {
    /// What a second factor was asked, and which.
    struct Question: Sendable {
        let factor: String
        let subject: String
    }

    /// Seconds that one is good for, and that a first factor is in all.
    static let lifetime: TimeInterval = 300
    static let longest: TimeInterval = 900

    /// The first factor's event.
    let login: String
    let account: UUID
    let methods: [String]
    /// When the first factor was right.
    let since: Date
    let challenge: String
    /// The password that was the first factor, as a node of the token tree: changed since, it completes nothing.
    let password: NodeID?
    /// The person, as such a node: who was suspended since and let in again begins again.
    let person: NodeID?
    var question: Question?

    /// The last moment at which anything of this login can be completed.
    var end: Date { since.addingTimeInterval(AuthSession.longest) }
}

/// Writes and reads them: signed, for one instance.
struct AuthSessions: Sendable {
    let issuer: String
    let keys: SigningKeys
    let clock: WallClock

    func write(_ session: AuthSession, client: String) async throws -> String {
        let now = clock.now(), end = min(now.addingTimeInterval(AuthSession.lifetime), session.end)
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(issuer), "sub": .string(session.account.uuidString.lowercased()),
            "client_id": .string(client),
            "jti": .string(session.login), "iat": .integer(now.numericDate), "exp": .integer(end.numericDate),
            "amr": JSONValue(strings: session.methods),
            "auth_time": .integer(session.since.numericDate), "code_challenge": .string(session.challenge),
        ]
        claims["password"] = JSONValue(session.password?.description)
        claims["person"] = JSONValue(session.person?.description)
        if let question = session.question {
            claims["factor"] = .string(question.factor)
            claims["question"] = .string(question.subject)
        }
        return try await keys.sign(type: JWTType.authenticationSession.rawValue, claims: claims)
    }

    /// Throws `invalid_session` for what is not ours, another instance's, or over.
    func read(_ text: String, client: String) async throws -> AuthSession {
        guard let jwt = try? JWT(text), jwt.type == JWTType.authenticationSession.rawValue, jwt.string("iss") == issuer,
            jwt.audiences == [issuer],
            jwt.string("client_id") == client, let expires = jwt.date("exp"), expires > clock.now(),
            try await keys.verify(jwt),
            let login = jwt.string("jti"), let account = jwt.string("sub").flatMap({ UUID(uuidString: $0) }),
            let methods = jwt["amr"]?.strings,
            let since = jwt.date("auth_time"), let challenge = jwt.string("code_challenge")
        else { throw AuthSessions.refused }
        var session = AuthSession(
            login: login, account: account, methods: methods, since: since, challenge: challenge,
            password: jwt.string("password").flatMap { NodeID($0) },
            person: jwt.string("person").flatMap { NodeID($0) })
        if let factor = jwt.string("factor"), let subject = jwt.string("question") {
            session.question = AuthSession.Question(factor: factor, subject: subject)
        }
        return session
    }

    static let refused = OAuthError(
        .invalidSession,
        "auth_session is unknown, expired, used, or another instance's; begin again with username and password")
}
