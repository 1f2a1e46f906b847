import Foundation
import Vocabulary

/// What a request wants of the login itself, for who has it done by another server: asked there in the same words
/// (OpenID Connect Core, 3.1.2.1).
public struct LoginWishes: Sendable, Equatable {
    /// Whoever is logged in already shows it once more.
    public let isAnew: Bool
    /// Seconds since it was shown, at most.
    public let maxAge: TimeInterval?
    public let levels: [AuthenticationContext.Level]

    public init(isAnew: Bool = false, maxAge: TimeInterval? = nil, levels: [AuthenticationContext.Level] = []) {
        (self.isAnew, self.maxAge, self.levels) = (isAnew, maxAge, levels)
    }
}

extension AuthorizationParameters {
    public var loginWishes: LoginWishes {
        LoginWishes(
            isAnew: prompts.contains(.login) || prompts.contains(.selectAccount), maxAge: maxAge, levels: wantedLevels)
    }
}
