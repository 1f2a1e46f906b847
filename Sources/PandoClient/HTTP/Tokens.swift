import Foundation

/// The answer of a token endpoint (RFC 6749, 5.1). `Codable`, as apps keep it: in a place for secrets.
public struct Tokens: Sendable, Codable, Equatable, Redacted {
    public let accessToken: String
    public let refreshToken: String?
    /// `DPoP` where it is bound to a key.
    public let type: String
    public let scope: String?
    public let expires: Date
    /// Where the answer makes a client: the id of an instance.
    public let clientID: String?

    public init(
        accessToken: String, refreshToken: String?, type: String, scope: String? = nil, expires: Date,
        clientID: String? = nil
    ) {
        (self.accessToken, self.refreshToken, self.type) = (accessToken, refreshToken, type)
        (self.scope, self.expires, self.clientID) = (scope, expires, clientID)
    }

    /// Throws `OAuthError` for an answer that refuses, `UnexpectedAnswer` for one without a token.
    public init(_ response: Transport.Response, now: Date) throws {
        let json = try response.json()
        self.init(
            accessToken: try json.text("access_token"), refreshToken: json["refresh_token"]?.string,
            type: try json.text("token_type"), scope: json["scope"]?.string,
            expires: now.addingTimeInterval(TimeInterval(json["expires_in"]?.integer ?? 0)),
            clientID: json["client_id"]?.string)
    }

    public var isBound: Bool { type.lowercased() == "dpop" }
    public var description: String { "\(type) token until \(expires)" }
}
