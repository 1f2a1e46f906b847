import WebAuthn

/// What is refused to people of this IdP. The pages find words for it.
public enum PasskeyRefusal: Error, Equatable, Sendable {
    /// None was asked of this browser for this, or it is over, or it was answered.
    case challengeUnknown
    /// What the browser sent did not stand this check: for log and audit, not for the person.
    case refused(WebAuthnRefusal)
    /// The passkey that answered logs nobody in here.
    case unknown
    /// The account has none of this name.
    case notFound
    /// The account has `PasskeyLogin.mostPasskeys`.
    case tooMany
    /// Somebody has registered or linked it already.
    case taken
    /// The last one of an account that must have one.
    case last

    /// For the log: which check it was.
    var explain: String {
        switch self {
        case .challengeUnknown: "challenge_unknown"
        case .refused(let check): check.explain
        case .unknown: "credential_unknown"
        case .notFound: "not_found"
        case .tooMany: "too_many"
        case .taken: "taken"
        case .last: "last"
        }
    }
}
