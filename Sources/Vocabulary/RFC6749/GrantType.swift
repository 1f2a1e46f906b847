/// `grant_type` (RFC 6749, 4 and 6; RFC 7523, 2.1; RFC 8693, 2.1; RFC 8628, 3.4). Open: a grant may bring its own name.
public struct GrantType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// eduID's apps spell the namespace `urn:ietf:param:oauth:` (protocols/eduid.md, 3.8); it means the same.
    public init(wire: String) { rawValue = WireName.current(wire) }

    public static let clientCredentials = GrantType(rawValue: "client_credentials")
    public static let authorizationCode = GrantType(rawValue: "authorization_code")
    public static let refreshToken = GrantType(rawValue: "refresh_token")
    public static let jwtBearer = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:jwt-bearer")
    public static let tokenExchange = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:token-exchange")
    public static let deviceCode = GrantType(rawValue: "urn:ietf:params:oauth:grant-type:device_code")
}

/// Spellings of upstream eduID that mean a registered name.
public enum WireName {
    private static let old = "urn:ietf:param:oauth:", new = "urn:ietf:params:oauth:"

    public static func current(_ name: String) -> String {
        name.hasPrefix(old) ? new + name.dropFirst(old.count) : name
    }
}

/// `client_assertion_type` (RFC 7523, 2.2).
public enum ClientAssertionType {
    public static let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}
