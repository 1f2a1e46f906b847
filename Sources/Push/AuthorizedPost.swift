import Base
import Foundation
import Traces

/// JSON to a push service that lets in whoever shows a bearer token. The token is made when there is none, and
/// forgotten when the service no longer takes it.
struct AuthorizedPost: Sendable {
    typealias Bearer = (token: String, until: Date)

    /// What is special about an answer; `asStatus` is nothing.
    enum Meaning: Sendable { case addressGone, tokenGone, refused, later, asStatus }

    /// No token was to be had: tried again later.
    struct NoToken: Error, CustomStringConvertible { let description: String }

    /// For the log.
    let service: String
    /// The authentication scheme, spelled as the service does.
    let scheme: String
    let http: PushHTTP
    /// What an answer says why, in one word.
    let reason: @Sendable (JSONValue) -> String?
    private let kept = KeptToken()

    init(
        service: String, scheme: String, http: PushHTTP,
        reason: @escaping @Sendable (JSONValue) -> String? = { $0["reason"]?.string }
    ) {
        (self.service, self.scheme, self.http, self.reason) = (service, scheme, http, reason)
    }

    /// `meaning` is asked with the status and with what the answer gives as its reason.
    func send(
        _ body: JSONValue, to url: String, headers: [(name: String, value: String)] = [], at now: Date,
        bearer make: @Sendable () async throws -> Bearer,
        meaning: (_ status: Int, _ reason: String) -> Meaning
    ) async throws -> PushResult {
        try await Phase.run("push by \(service)", .producer) {
            try await sendNow(body, to: url, headers: headers, at: now, bearer: make, meaning: meaning)
        }
    }

    private func sendNow(
        _ body: JSONValue, to url: String, headers: [(name: String, value: String)], at now: Date,
        bearer make: @Sendable () async throws -> Bearer, meaning: (_ status: Int, _ reason: String) -> Meaning
    ) async throws -> PushResult {
        let bearer = try await kept.token(at: now, make: make)
        let own = [
            (name: "authorization", value: "\(scheme) \(bearer)"), (name: "content-type", value: "application/json"),
        ]
        let answer = try await http.send(
            PushHTTP.Request(method: "POST", url: url, headers: own + headers, body: body.bytes))
        let reason = AuthorizedPost.word(answer.json.flatMap { self.reason($0) })
        let said = "\(service): status \(answer.status)" + (reason.isEmpty ? "" : " \(reason)")
        switch meaning(answer.status, reason) {
        case .addressGone: return .addressGone
        case .tokenGone:
            await kept.forget(bearer)
            return .later(said)
        case .refused: return .refused(said)
        case .later: return .later(said)
        case .asStatus: return PushResult(status: answer.status, said)
        }
    }

    /// A bearer token from an OAuth token endpoint (RFC 6749, 5.1), renewed a minute before it ends.
    func bearer(_ form: [(String, String)], from url: String, at now: Date) async throws -> Bearer {
        let answer = try await http.send(
            PushHTTP.Request(
                method: "POST", url: url, headers: [("content-type", "application/x-www-form-urlencoded")],
                body: Array(FormCodec.write(form).utf8)))
        guard answer.status == 200, let token = answer.json?["access_token"]?.string, !token.isEmpty else {
            throw NoToken(description: "the token endpoint of \(service) answers with status \(answer.status)")
        }
        let seconds = answer.json?["expires_in"]?.integer ?? 300
        return (token: token, until: now.addingTimeInterval(TimeInterval(max(0, min(seconds, 3_600) - 60))))
    }

    /// A word, as these services give them; texts may repeat what they were sent, and are left out.
    private static func word(_ text: String?) -> String {
        guard let text, text.utf8.count <= 64, text.utf8.allSatisfy({ (0x30...0x7A).contains($0) }) else { return "" }
        return text
    }
}

/// A bearer token that is used for a while. Two that ask at once may both make one: each is good.
private actor KeptToken {
    private var kept: AuthorizedPost.Bearer?

    func token(at now: Date, make: @Sendable () async throws -> AuthorizedPost.Bearer) async throws -> String {
        if let kept, kept.until > now { return kept.token }
        let made = try await make()
        kept = made
        return made.token
    }

    /// Unless another has taken its place meanwhile.
    func forget(_ token: String) { if kept?.token == token { kept = nil } }
}
