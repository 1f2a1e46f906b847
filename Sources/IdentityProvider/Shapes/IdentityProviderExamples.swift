import Base

/// What stands in `/openapi.yaml` to look at: members by their names (`OpenAPIExamples`), and bodies that have none.
enum IdentityProviderExamples {
    private static let learn: JSONValue = "https://learn.example.org", time: JSONValue = "2026-11-21T10:00:00Z"
    private static let stream: JSONValue = "019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12"

    static let people: JSONObject = [
        "userid": "q1w2e3", "mailaddress": "ada@example.org", "extra": ["name": "Ada Keller"], "id": "Xh2p",
        "Instance.name": "Ada's phone", "device_type": "phone", "os_version": "Android 16", "app": "org.example.app",
        "version": "7", "created_at": time, "last_seen": time, "current": true,
    ]

    // MARK: Apps

    static let appLogin: JSONValue = [
        "username": "grace", "password": "correct horse battery staple",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "response_type": "code",
    ]
    static let appCode: JSONValue = ["authorization_code": "dGhlIGNvZGU"]
    static let appLoginStep: JSONValue = [
        "error": "insufficient_authorization", "error_description": "a second factor is needed",
        "auth_session": "dGhlIGxvZ2lu", "factors": ["passkey"],
    ]

    // MARK: What a person has

    static let tree: JSONObject = [
        "AccountNode.id": "dGhlIGJyYW5jaA", "AccountNode.name": "Ada's phone", "since": time, "last_used": time,
        "current": true,
        "AccountNode.children": [
            [
                "id": "dGhlIHNlcnZpY2U", "kind": "service", "name": "Learn", "since": time, "last_used": time,
                "children": nil,
            ]
        ],
    ]
    static let export: JSONValue = [
        "exported_at": time, "account": [["username": "grace", "email": "grace@example.org"]],
        "services": [["service": "learn"]], "cut": [],
    ]
    static let deletion: JSONValue = [
        "deleted_at": time, "services_told": 2, "phones_removed": 1, "passkeys_removed": 1,
    ]

    // MARK: Services

    static let service: JSONObject = [
        "id": "learn", "base": learn, "OwnService.name": "Learn", "client_id": "service-learn",
        "auth_method": "client_secret_basic",
        "token_endpoint": "https://learn.example.org/token", "events_endpoint": "https://learn.example.org/events",
        "claims": ["email", "name"], "protocols": ["org.ietf.oauth2"], "created_at": time,
        "AppPolicyChange.default": "closed", "AppPolicy.default": "closed", "allow": ["org.example.app"], "deny": [],
    ]
    static let entity = learn
    static let entityPage: JSONValue = [
        "immediate_subordinate_entities": [["id": learn]], "next": learn, "next_entity_id": learn,
    ]
    static let health: JSONValue = [
        "service": "learn", "base": learn, "state": "ok", "source": "link",
        "document_url": "https://learn.example.org/rsd", "http_status": 200, "warnings": [], "failures": 0,
        "last_ok": time, "protocols": ["org.ietf.oauth2"],
    ]
    static let crawl: JSONValue = [
        "service": "learn", "base": learn, "outcome": "unchanged", "state": "ok", "http_status": 200,
        "document_url": "https://learn.example.org/rsd", "protocols": ["org.ietf.oauth2"], "added": [], "removed": [],
        "warnings": [], "took_ms": 34,
    ]

    // MARK: Streams

    static let configuration: JSONValue = [
        "delivery": [
            "method": "urn:ietf:rfc:8935", "endpoint_url": "https://learn.example.org/signals",
            "authorization_header": "Bearer dGhlIHB1c2g",
        ],
        "events_requested": ["https://schemas.openid.net/secevent/caep/event-type/session-revoked"],
        "description": "Learn, production",
    ]
    static let streams: JSONObject = [
        "stream_id": stream, "StreamStatus.status": "paused", "reason": "maintenance until noon",
        "state": "dGhlIHN0YXRl", "subject": ["format": "iss_sub", "iss": "https://id.example.org", "sub": "q1w2e3"],
    ]
}
