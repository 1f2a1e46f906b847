import Base
import HTTP
import Hummingbird
import OAuth

/// Documents about the server: RFC 8414, OpenID Connect Discovery, RFC 7517.
enum MetadataRoutes {
    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let authorizationServer = Answer.Written(idp.metadata.authorizationServer)
        let openIDProvider = Answer.Written(idp.metadata.openIDProvider)
        return [
            Endpoint(.get, "/.well-known/oauth-authorization-server", "Authorization server metadata (RFC 8414)") {
                _, _ in
                Answer.document(authorizationServer, seconds: 300)
            }.telling(.metadata("AuthorizationServerMetadata")).named("authorizationServerMetadata"),
            Endpoint(.get, "/.well-known/openid-configuration", "OpenID Connect Discovery") { _, _ in
                Answer.document(openIDProvider, seconds: 300)
            }.telling(.metadata("OpenIDProviderMetadata")).named("openIDConfiguration"),
            KeySetRoutes.endpoint(idp.keys),
        ].map { $0.forOrigins(.any) }
    }

    /// Of what they hold, so that no member is forgotten.
    static func schemas(_ idp: AuthorizationServer) -> [OpenAPISchema] {
        [
            OpenAPISchema("AuthorizationServerMetadata", "RFC 8414, 2.", like: idp.metadata.authorizationServer),
            OpenAPISchema("OpenIDProviderMetadata", "OpenID Connect Discovery, 3.", like: idp.metadata.openIDProvider),
        ]
    }
}
