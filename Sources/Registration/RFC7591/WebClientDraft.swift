import Base
import Vocabulary

/// What is to become a client, or what one is to become.
public struct WebClientDraft: Sendable {
    /// Empty: its client_id.
    public var name: String
    public var authMethod: WebClient.AuthMethod
    public var jwks: JSONValue?
    public var jwksURI: String?
    public var redirectURIs: [String]
    public var grantTypes: [String]
    public var scope: String
    public var metadata: ClientMetadata
    /// What the operator lets it know of a person; no client says it of itself.
    public var claims: [String]?

    public init(
        name: String, authMethod: WebClient.AuthMethod = .basic, jwks: JSONValue? = nil, jwksURI: String? = nil,
        redirectURIs: [String] = [],
        grantTypes: [String] = ["authorization_code", "refresh_token"], scope: String = "openid profile email",
        metadata: ClientMetadata = .init(), claims: [String]? = nil
    ) {
        (self.name, self.authMethod, self.jwks, self.jwksURI) = (name, authMethod, jwks, jwksURI)
        (self.redirectURIs, self.grantTypes, self.scope) = (redirectURIs, grantTypes, scope)
        (self.metadata, self.claims) = (metadata, claims)
    }

    /// What a client is, to be changed.
    public init(_ client: WebClient) {
        self.init(
            name: client.name, authMethod: client.authMethod, jwks: client.jwks, jwksURI: client.jwksURI,
            redirectURIs: client.redirectURIs, grantTypes: client.grantTypes, scope: client.scope,
            metadata: client.metadata, claims: client.claims)
    }
}
