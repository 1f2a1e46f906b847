import Base

/// What stands in `/openapi.yaml` to look at: members of tiqr by their names (`OpenAPIExamples`). Nothing of it
/// verifies.
enum TiqrExamples {
    private static let host: JSONValue = "id.example.org", suite: JSONValue = "OCRA-1:HOTP-SHA1-6:QH10-S"
    private static let identity: JSONValue = "9b1deb4d", enrollment: JSONValue = "dGhlIGVucm9sbG1lbnQ"
    private static let time: JSONValue = "2026-11-21T10:00:00Z"

    static let phones: JSONObject = [
        "service": ["displayName": "Example", "identifier": host, "ocraSuite": suite],
        "TiqrMetadata.identity": ["identifier": identity, "displayName": "Ada Keller"],
        "secret": "3132333435363738393031323334353637383930313233343536373839303132",
        "language": "en", "notificationType": "APNS_DIRECT", "notificationAddress": "dGhlIHBob25l", "version": "2",
        "TiqrRegistration.operation": "register", "TiqrResponse.operation": "login",
        "sessionKey": "dGhlIHNlc3Npb24", "userId": identity, "response": "123456",
    ]

    static let backOffice: JSONObject = [
        "identifier": host, "display_name": "Ada Keller", "TiqrIdentifier.display_name": "Example", "suite": suite,
        "default": true, "used": true, "retired": false,
        "png": "https://id.example.org/services/tiqr/enrollments/dGhlIGVucm9sbG1lbnQ.png?k=dGhlIGtleQ",
        "svg": "https://id.example.org/services/tiqr/enrollments/dGhlIGVucm9sbG1lbnQ.svg?k=dGhlIGtleQ",
        "id": enrollment, "StartedTiqrEnrollment.status": "initialized", "TiqrEnrollment.status": "retrieved",
        "StartedTiqrAuthentication.status": "pending", "TiqrAuthentication.status": "authenticated",
        "identity": identity,
        "enroll_url": "tiqrenroll://https://id.example.org/services/tiqr/metadata?enrollment_key=dGhlIGtleQ",
        "universal_link": "https://id.example.org/tiqrenroll/?metadata=https%3A%2F%2Fid.example.org%2Fmetadata",
        "metadata_url": "https://id.example.org/services/tiqr/metadata?enrollment_key=dGhlIGtleQ", "expires_at": time,
        "auth_url": "tiqrauth://id.example.org/dGhlIHNlc3Npb24/a1b2c3d4e5/Example/2",
        "StartedTiqrAuthentication.push": "queued",
        "StartedTiqrAuthentication.universal_link":
            "https://id.example.org/tiqrauth/?u=&s=dGhlIHNlc3Npb24&q=a1b2c3d4e5&i=id.example.org&v=2",
        "method": "online", "authenticated_at": time,
        "TiqrAttempt.error": "invalid_otp", "error_description": "this code is not right", "attempts_left": 2,
        "TiqrIdentity.status": "active", "TiqrIdentity.push": true, "created_at": time, "last_login_at": time,
    ]
}
