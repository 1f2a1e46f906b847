import Federation
import HTTP

/// What `/openapi.yaml` tells of streams (OpenID Shared Signals Framework 1.0, 8.1).
enum SharedSignalsSchemas {
    static let all = [
        OpenAPISchema(
            "StreamConfiguration", "8.1.1. A receiver supplies delivery, events_requested and description.",
            [
                "stream_id": "Of a stream that there is; needed to change it.", "iss": "The issuer.",
                "aud": "The service's base URL: aud of each token.",
                "events_supported:[string]": "What can be had.",
                "events_requested:[string]": "What the receiver wants; unknown types are passed over.",
                "events_delivered:[string]": "What it gets.",
                "delivery:StreamDelivery": "How; a poll, where the receiver names none.",
                "min_verification_interval:integer": "Seconds between two verifications.",
                "description": "For people, at most 500 characters.",
            ], example: IdentityProviderExamples.configuration),
        OpenAPISchema(
            "StreamConfigurations", "One where `stream_id` names it, else a list of those that there are.",
            type: "StreamConfiguration/[StreamConfiguration]"),
        OpenAPISchema(
            "StreamDelivery", "6.1",
            [
                "method:=urn:ietf:rfc:8935|urn:ietf:rfc:8936!": "Push, or poll.",
                "endpoint_url": "Of a push, below the service's base; of a poll, ours.",
                "authorization_header": "What each push carries as Authorization; it is never told back.",
            ]),
        OpenAPISchema(
            "StreamStatus", "8.1.2",
            [
                "stream_id!": "", "status:=enabled|paused|disabled!": "While it is paused, events wait.",
                "reason": "For people, at most 500 characters.",
            ]),
        OpenAPISchema(
            "StreamVerification", "8.1.4.2",
            ["stream_id!": "", "state": "Comes back in the event; at most 1000 characters."]),
        OpenAPISchema(
            "StreamSubject", "8.1.3",
            [
                "stream_id!": "", "subject:object!": "RFC 9493, or a complex subject.",
                "verified:boolean": "Of no consequence here.",
            ]),
        OpenAPISchema(
            "StreamSets", "RFC 8936, 2.3.",
            [
                "sets:object!": "Each by its jti, the oldest first.",
                "moreAvailable:boolean": "There are more than this answer has. Missing, it is false.",
            ], example: ["sets": [:]]),
    ].exemplified(by: IdentityProviderExamples.streams)
}
