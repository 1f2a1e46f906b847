import Hummingbird
import Keys

/// `/jwks.json`: the keys by which this server signs (RFC 7517, 5).
public enum KeySetRoutes {
    /// Short, since a rotated key should be seen soon; the next one is announced a day early anyway.
    public static func endpoint(_ keys: SigningKeys) -> Endpoint {
        Endpoint(.get, "/jwks.json", "Public signing keys, the next one included (RFC 7517)") { _, _ in
            Answer.document(Answer.Written(bytes: try await keys.publishedBytes()), seconds: 60)
        }.telling(EndpointShape(answer: "KeySet", security: [], others: [.oauthError(503)])).named("keys").forOrigins(
            .any)
    }

    public static let schema = OpenAPISchema(
        "KeySet", "RFC 7517, 5; the next key is announced before it signs.", ["keys:[object]!": ""],
        example: ["keys": []])
}

extension HostedService {
    /// What a server has that has no IdP, since its services belong to another's federation: the keys by which they
    /// sign, and housekeeping that the IdP would do.
    public static func elsewhere(
        _ keys: SigningKeys, housekeeping: @escaping @Sendable () async throws -> Void
    ) -> HostedService {
        HostedService(
            "keys", endpoints: [KeySetRoutes.endpoint(keys)].tagged("metadata"), schemas: [KeySetRoutes.schema],
            housekeeping: housekeeping)
    }
}
