import Base
import Vocabulary

/// What entities say of themselves, by entity type (OpenID Federation 1.0, 5).
enum EntityMetadata {
    /// The entity type of our own: a service as the index and its RSD2 document have it (docs/openid-federation.md).
    static let serviceType = "pando_service"
    static let resourceType = "oauth_resource"
    static let federationType = "federation_entity"
    /// The protocol of services that redeem assertions, and thus give access tokens.
    static let oauth = "org.ietf.oauth2"

    /// 5.1.1 and 5.2.2, with the endpoints of the bridge below `anchor`. A list that nobody may read is not announced.
    static func ofAnchor(_ anchor: String, _ listing: ListingPolicy) -> JSONObject {
        let name = WebAddress(anchor)?.host ?? anchor
        var metadata: JSONObject = [
            "organization_name": .string(name), "organization_uri": .string(anchor),
            "federation_fetch_endpoint": .string(anchor + OpenIDFederation.Endpoint.fetch.rawValue),
            "federation_resolve_endpoint": .string(anchor + OpenIDFederation.Endpoint.resolve.rawValue),
            "federation_historical_keys_endpoint": .string(anchor + OpenIDFederation.Endpoint.historicalKeys.rawValue),
        ]
        guard listing != .closed else { return metadata }
        for (name, endpoint) in [
            ("federation_list_endpoint", OpenIDFederation.Endpoint.list),
            ("federation_extended_list_endpoint", .extendedList),
        ] {
            metadata[name] = .string(anchor + endpoint.rawValue)
            if listing == .federation { metadata[name + "_auth_methods"] = ["client_secret_basic"] }
        }
        return metadata
    }

    /// `oauth_authorization_server` is left out although a service has a token endpoint: its `issuer` would have to be
    /// the entity identifier (5.1.4), while the tokens of the service name its base.
    static func of(_ row: ListedService, entity: String, anchor: String) -> JSONObject {
        var described: JSONObject = [
            "id": .string(row.id), "base": .string(row.base), "protocols": JSONValue(strings: row.protocols.sorted()),
        ]
        if !row.protocols.isEmpty { described["rsd_uri"] = .string(entity + "/rsd") }
        var metadata: JSONObject = [
            federationType: [
                "organization_name": .string(row.name), "organization_uri": .string(row.base),
                "display_name": .string(row.name),
            ]
        ]
        if Set(ProtocolName.offered(by: row.protocols)).contains(oauth) {
            described["token_endpoint"] = .string(row.tokenEndpoint)
            described["grant_types_supported"] = ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
            described["assertion_issuer"] = .string(anchor)
            metadata[resourceType] = [
                "resource": .string(row.base), "resource_name": .string(row.name),
                "bearer_methods_supported": ["header"],
            ]
        }
        metadata[serviceType] = .object(described)
        return metadata
    }
}
