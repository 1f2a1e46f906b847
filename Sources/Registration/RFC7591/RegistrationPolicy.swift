import Base
import Vocabulary

/// What those who register with an invitation may ask for, now and in every later change of their client.
public struct RegistrationPolicy: Sendable, Equatable {
    /// `nil`: the standard ones.
    public let grantTypes: [String]?
    public let scopes: [String]?

    public static let standardGrantTypes = [
        GrantType.authorizationCode, .refreshToken, .clientCredentials, .deviceCode,
    ].map(\.rawValue)
    public static let standardScopes = ["openid", "profile", "email", "offline_access"]
    /// What a client of people gets that names no scope.
    static let usualScopes = ["openid", "profile", "email"]

    public init(grantTypes: [String]? = nil, scopes: [String]? = nil) {
        (self.grantTypes, self.scopes) = (grantTypes, scopes)
    }

    /// Reads what `json` wrote.
    init(stored: JSONValue?) {
        self.init(grantTypes: stored?["grant_types"]?.strings, scopes: stored?["scopes"]?.strings)
    }

    /// `{"grant_types": […], "scopes": […]}`, each where it is not the standard.
    public var json: JSONObject {
        var object: JSONObject = [:]
        object["grant_types"] = grantTypes.map { JSONValue(strings: $0) }
        object["scopes"] = scopes.map { JSONValue(strings: $0) }
        return object
    }

    func admits(grantType: String) -> Bool { (grantTypes ?? RegistrationPolicy.standardGrantTypes).contains(grantType) }
    func admits(scope: String) -> Bool { (scopes ?? RegistrationPolicy.standardScopes).contains(scope) }

    /// Scope of a client that asks for none.
    func usualScope(for grantTypes: [String]) -> String {
        guard [GrantType.authorizationCode, .deviceCode].contains(where: { grantTypes.contains($0.rawValue) }) else {
            return ""
        }
        let admitted = Set(scopes ?? RegistrationPolicy.standardScopes)
        return RegistrationPolicy.usualScopes.filter { admitted.contains($0) }.joined(separator: " ")
    }
}
