import Foundation

/// How long what a client gets lives, where its operator says otherwise than the server; seconds.
public struct ClientLifetimes: Sendable, Equatable {
    /// An access token.
    public var accessToken: Int?
    /// A refresh token that is not used.
    public var refresh: Int?

    /// Bounds of columns, too.
    public static let accessTokens = 60...86_400
    public static let refreshTokens = 3_600...34_560_000

    public init(accessToken: Int? = nil, refresh: Int? = nil) {
        (self.accessToken, self.refresh) = (accessToken, refresh)
    }

    /// What the server says, but for what is said here, and no longer than `limit`.
    public func accessToken(usual: TimeInterval, limit: Int? = nil) -> TimeInterval {
        let life = accessToken.map { TimeInterval($0) } ?? usual
        return limit.map { min(life, TimeInterval($0)) } ?? life
    }

    public func refresh(usual: TimeInterval) -> TimeInterval { refresh.map { TimeInterval($0) } ?? usual }

    func changes(to other: ClientLifetimes) -> [String] {
        (accessToken == other.accessToken ? [] : ["access_token_lifetime"])
            + (refresh == other.refresh ? [] : ["refresh_lifetime"])
    }
}
