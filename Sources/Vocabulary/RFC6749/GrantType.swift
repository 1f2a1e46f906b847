/// `grant_type` (RFC 6749, 4 and 6; RFC 7523, 2.1; RFC 8693, 2.1; RFC 8628, 3.4).
public enum GrantType: String, Sendable, CaseIterable {
    case clientCredentials = "client_credentials"
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"

    /// eduID's apps spell the namespace `urn:ietf:param:oauth:` (protocols/eduid.md, 3.8); it means the same.
    public init?(wire: String) {
        self.init(rawValue: WireName.current(wire))
    }
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
