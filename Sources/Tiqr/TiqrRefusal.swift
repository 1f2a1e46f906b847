/// What the back office refuses (design/backoffice.md, "tiqr"). Code and members of the JSON, status by `status`.
public enum TiqrRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case invalidRequest(String)
    case notFound(String)
    case conflict(String)
    case invalidOTP(attemptsLeft: Int)
    case accountBlocked(minutes: Int)
    case invalidChallenge

    /// `error` on the wire.
    public var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .notFound: "not_found"
        case .conflict: "conflict"
        case .invalidOTP: "invalid_otp"
        case .accountBlocked: "account_blocked"
        case .invalidChallenge: "invalid_challenge"
        }
    }

    public var status: Int {
        switch self {
        case .invalidRequest: 400
        case .notFound: 404
        case .conflict, .invalidChallenge: 409
        case .invalidOTP, .accountBlocked: 403
        }
    }

    /// `error_description` on the wire.
    public var description: String {
        switch self {
        case .invalidRequest(let text), .notFound(let text), .conflict(let text): text
        case .invalidOTP(let left):
            left == 1
                ? "the one-time password is wrong; one attempt is left"
                : "the one-time password is wrong; \(left) attempts are left"
        case .accountBlocked(let minutes): "the identity is blocked for \(minutes) minutes"
        case .invalidChallenge: "the authentication is no longer pending"
        }
    }
}
