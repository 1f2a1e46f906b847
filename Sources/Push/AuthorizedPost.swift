import Base
import Foundation

/// JSON to a push service that lets in whoever shows a bearer token. The token is made when there is none, and
/// forgotten when the service no longer takes it.
struct AuthorizedPost: Sendable {
    typealias Bearer = (token: String, until: Date)

    /// What is special about an answer; `asStatus` is nothing.
    enum Meaning: Sendable { case addressGone, tokenGone, asStatus }

    /// For the log.
    let service: String
    /// The authentication scheme, spelled as the service does.
    let scheme: String
    let http: PushHTTP
    private let kept = KeptToken()

    init(service: String, scheme: String, http: PushHTTP) {
        (self.service, self.scheme, self.http) = (service, scheme, http)
    }

    /// `meaning` is asked with the status and with what the answer gives as its `reason`.
    func send(
        _ body: JSONValue, to url: String, headers: [(name: String, value: String)] = [], at now: Date,
        bearer make: @Sendable () async throws -> Bearer,
        meaning: (_ status: Int, _ reason: String) -> Meaning
    ) async throws -> PushResult {
        let bearer = try await kept.token(at: now, make: make)
        let own = [
            (name: "authorization", value: "\(scheme) \(bearer)"), (name: "content-type", value: "application/json"),
        ]
        let answer = try await http.send(
            PushHTTP.Request(method: "POST", url: url, headers: own + headers, body: body.bytes))
        let reason = answer.json?["reason"]?.string ?? ""
        let said = "\(service): status \(answer.status)" + (reason.isEmpty ? "" : " \(reason)")
        switch meaning(answer.status, reason) {
        case .addressGone: return .addressGone
        case .tokenGone:
            await kept.forget()
            return .later(said)
        case .asStatus: return PushResult(status: answer.status, said)
        }
    }
}

extension PushResult {
    /// What a status says by itself; `said` is for the log.
    init(status: Int, _ said: String) {
        switch status {
        case 200..<300: self = .delivered
        case 408, 425, 429, 500...: self = .later(said)
        default: self = .refused(said)
        }
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

    func forget() { kept = nil }
}
