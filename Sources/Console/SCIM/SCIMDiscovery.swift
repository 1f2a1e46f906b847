import Base

/// What a client reads first (RFC 7644, 4; RFC 7643, 5).
enum SCIMDiscovery {
    static let mostResults = 1_000, usualResults = 100
    static let mostOperations = 1_000, mostBytes = 1_048_576

    static func configuration(issuer: String, base: String) -> JSONObject {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": ["supported": true],
            "bulk": [
                "supported": true, "maxOperations": .integer(mostOperations), "maxPayloadSize": .integer(mostBytes),
            ],
            "filter": ["supported": true, "maxResults": .integer(mostResults)],
            "changePassword": ["supported": true], "sort": ["supported": true], "etag": ["supported": true],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "OAuth Bearer Token", "primary": true,
                    "description": .string(
                        """
                        An access token of \(issuer) with scope scim, by client_credentials; with a DPoP proof or a \
                        client certificate where the client is bound to one
                        """),
                    "specUri": "https://www.rfc-editor.org/rfc/rfc6750",
                ]
            ],
            "meta": [
                "resourceType": "ServiceProviderConfig", "location": .string("\(base)/ServiceProviderConfig"),
            ],
        ]
    }

    /// All of them, on one page.
    static func list(_ items: [JSONObject]) -> JSONObject {
        SCIMListing(total: items.count, start: 1, items: items).json
    }
}

/// A page of what was asked for (RFC 7644, 3.4.2).
struct SCIMListing: Sendable {
    let total: Int
    let start: Int
    let items: [JSONObject]

    var json: JSONObject {
        [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": .integer(total),
            "startIndex": .integer(start), "itemsPerPage": .integer(items.count),
            "Resources": .array(items.map { .object($0) }),
        ]
    }
}
