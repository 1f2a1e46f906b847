import Base

/// What stands in `/openapi.yaml` to look at: a person and an institution as a directory sends them.
enum SCIMExamples {
    private static let ada: JSONValue = "019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12"

    static let user: JSONValue = [
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "externalId": "4711", "userName": "ada",
        "name": ["givenName": "Ada", "familyName": "Keller"], "emails": [["value": "ada@example.org"]],
        "active": true,
    ]
    static let group: JSONValue = [
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "University",
        "members": [["value": ada]],
    ]
    static let list: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": 1, "startIndex": 1,
        "itemsPerPage": 1, "Resources": [user],
    ]
    static let search: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "filter": "userName eq \"ada\"",
        "startIndex": 1, "count": 10,
    ]
    static let patch: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [["op": "replace", "path": "active", "value": false]],
    ]
    static let bulk: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "failOnErrors": 1,
        "Operations": [["method": "POST", "path": "/Users", "bulkId": "1", "data": user]],
    ]
    static let bulkResponse: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"],
        "Operations": [
            [
                "method": "POST", "bulkId": "1", "status": "201",
                "location": "https://id.example.org/scim/v2/Users/019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12",
            ]
        ],
    ]
    static let document: JSONValue = ["schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]]
    static let error: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "status": "409", "scimType": "uniqueness",
        "detail": "there is an account of that name",
    ]
}
