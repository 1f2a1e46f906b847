import Base
import Foundation
import TokenTree

/// Who issues: the IdP, or one service. The same code is both.
public struct Realm: Sendable {
    /// `idp`, or the service's id.
    public let id: String
    /// ISS, or the service's BASE: `iss` and default `aud` of what it issues.
    public let base: String
    public let tokenEndpoint: String

    public init(id: String, base: String) {
        (self.id, self.base, tokenEndpoint) = (id, base, base + "/token")
    }

    public var isIdentityProvider: Bool { id == "idp" }
}

/// Configured lives, in seconds (decisions.md, Federation 6).
public struct Lifetimes: Sendable {
    public var instanceToken: TimeInterval = 365 * 86_400
    public var personalAccessToken: TimeInterval = 30 * 86_400
    public var assertion: TimeInterval = 300
    public var serviceToken: TimeInterval = 86_400
    public var appToken: TimeInterval = 3_600
    public var accessToken: TimeInterval = 3_600
    public var code: TimeInterval = 60
    /// Seconds without use after which a web client's refresh token ends.
    public var webIdle: TimeInterval = 30 * 86_400
    /// Seconds for which a browser remembers how somebody logged in; 0 for never.
    public var rememberedWay: TimeInterval = 365 * 86_400

    public init() {}

    public func of(_ kind: TokenKind) -> TimeInterval {
        switch kind {
        case .instanceToken: instanceToken
        case .personalAccessToken: personalAccessToken
        case .assertion: assertion
        case .serviceToken: serviceToken
        case .appToken: appToken
        case .accessToken: accessToken
        case .code: code
        }
    }
}
