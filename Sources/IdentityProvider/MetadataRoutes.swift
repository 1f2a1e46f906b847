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
            },
            Endpoint(.get, "/.well-known/openid-configuration", "OpenID Connect Discovery") { _, _ in
                Answer.document(openIDProvider, seconds: 300)
            },
            // Short, since a rotated key should be seen soon; the next one is announced a day early anyway.
            Endpoint(.get, "/jwks.json", "Public signing keys, the next one included (RFC 7517)") { _, _ in
                Answer.document(Answer.Written(bytes: try await idp.keys.publishedBytes()), seconds: 60)
            },
        ].map { $0.forOrigins(.any) }
    }
}
