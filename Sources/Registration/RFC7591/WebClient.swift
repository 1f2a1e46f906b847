import Base
import Database
import Foundation

/// A client that is no app instance: a web application, a machine, or a federation service at the IdP (RFC 7591, 2).
public struct WebClient: Sendable {
    public enum AuthMethod: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case none
    }

    public let id: String
    public let name: String
    public let authMethod: AuthMethod
    /// SHA-256 of the secret.
    let secret: [UInt8]?
    public let jwks: JSONValue?
    public let jwksURI: String?
    public let redirectURIs: [String]
    public let grantTypes: [String]
    public let scope: String
    public let createdAt: Date

    static let columns: SQL = "id, name, auth_method, secret, jwks, jwks_uri, redirect_uris, grant_types, scope, created_at"

    init(_ row: Row) throws(DatabaseError) {
        (id, name, authMethod, secret) = (try row("id"), try row("name"), try row("auth_method"), try row("secret"))
        (jwks, jwksURI, redirectURIs) = (try row("jwks"), try row("jwks_uri"), try row("redirect_uris"))
        (grantTypes, scope, createdAt) = (try row("grant_types"), try row("scope"), try row("created_at"))
    }

    /// Client information (RFC 7591, 3.2.1); the secret is told once, by the caller that made it.
    public var json: JSONObject {
        var object: JSONObject = [
            "client_id": .string(id), "client_name": .string(name), "client_id_issued_at": .integer(createdAt.numericDate),
            "redirect_uris": JSONValue(strings: redirectURIs), "grant_types": JSONValue(strings: grantTypes), "scope": .string(scope),
            "token_endpoint_auth_method": .string(authMethod.rawValue),
        ]
        if grantTypes.contains("authorization_code") { object["response_types"] = ["code"] }
        if let jwks { object["jwks"] = jwks }
        if let jwksURI { object["jwks_uri"] = .string(jwksURI) }
        return object
    }
}

/// What is to become a client.
public struct WebClientDraft: Sendable {
    public var name: String
    public var authMethod: WebClient.AuthMethod
    public var jwks: JSONValue?
    public var jwksURI: String?
    public var redirectURIs: [String]
    public var grantTypes: [String]
    public var scope: String

    public init(name: String, authMethod: WebClient.AuthMethod = .basic, jwks: JSONValue? = nil, jwksURI: String? = nil, redirectURIs: [String] = [],
                grantTypes: [String] = ["authorization_code", "refresh_token"], scope: String = "openid profile email") {
        (self.name, self.authMethod, self.jwks, self.jwksURI) = (name, authMethod, jwks, jwksURI)
        (self.redirectURIs, self.grantTypes, self.scope) = (redirectURIs, grantTypes, scope)
    }
}
