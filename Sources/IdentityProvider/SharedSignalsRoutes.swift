import Base
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Registration
import Vocabulary

/// The transmitter of shared signals (OpenID Shared Signals Framework 1.0; docs/shared-signals.md): what a service says
/// of its stream, and the stream itself where it is polled.
enum SharedSignalsRoutes {
    static func endpoints(_ idp: AuthorizationServer, _ streams: EventStreams, _ polls: StreamPolls) -> [Endpoint] {
        let caller = StreamCaller(idp: idp), metadata = Answer.Written(metadata(idp.realm.base))
        let about = [
            Endpoint(.get, "/.well-known/ssf-configuration", "Transmitter configuration (OpenID Shared Signals 1.0)") {
                _, _ in
                Answer.document(metadata, seconds: 300)
            }.forOrigins(.any).telling(.metadata("TransmitterMetadata"))
        ]
        return about + configuration(caller, streams) + status(caller, streams) + subjects(caller, streams) + [
            Endpoint(.post, "/ssf/poll/{stream_id}", "Events that wait in a stream (RFC 8936)") { request, context in
                let id = context.parameters.get("stream_id") ?? ""
                let (service, body) = try await caller.body(
                    request, context, [.readStreams, .manageStreams, .events])
                let poll = try PollBody(body).poll
                return Answer.json(
                    .object(try await WatchedAnswer.untilShutdown { try await polls.answer(poll, id, for: service) }))
            }.telling(
                EndpointShape(
                    body: "EventPoll", answer: "StreamSets",
                    about: "Its address stands in the stream's configuration. Nothing comes while it is paused.",
                    isBodyNeeded: true, security: .byService, errors: [404]))
        ]
    }

    static func metadataSchema(_ idp: AuthorizationServer) -> OpenAPISchema {
        OpenAPISchema("TransmitterMetadata", "OpenID Shared Signals Framework, 7.1.", like: metadata(idp.realm.base))
    }

    /// Transmitter Configuration Metadata (7.1).
    private static func metadata(_ issuer: String) -> JSONValue {
        [
            "spec_version": "1_0", "issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks.json"),
            "delivery_methods_supported": JSONValue(strings: EventStream.Delivery.methods),
            "configuration_endpoint": .string(issuer + "/ssf/stream"),
            "status_endpoint": .string(issuer + "/ssf/status"),
            "add_subject_endpoint": .string(issuer + "/ssf/subjects/add"),
            "remove_subject_endpoint": .string(issuer + "/ssf/subjects/remove"),
            "verification_endpoint": .string(issuer + "/ssf/verify"),
            "authorization_schemes": [["spec_urn": "urn:ietf:rfc:6749"]], "default_subjects": "ALL",
        ]
    }

    // MARK: Configuration

    private static func configuration(_ caller: StreamCaller, _ streams: EventStreams) -> [Endpoint] {
        let path = "/ssf/stream"
        let changed = EndpointShape(
            body: "StreamConfiguration", answer: "StreamConfiguration", isBodyNeeded: true, security: .byService,
            errors: [404])
        return [
            Endpoint(.post, path, "Create the stream of the service that asks; it has one at most") {
                request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                return Answer.json(try await streams.create(body, for: service), status: .created)
            }.telling(
                EndpointShape(
                    body: "StreamConfiguration", answer: "StreamConfiguration", status: 201, isBodyNeeded: true,
                    security: .byService,
                    errors: [409])),
            Endpoint(.get, path, "A stream's configuration, or without stream_id a list of those that there are") {
                request, context in
                let service = try await caller.service(request, context, [.readStreams, .manageStreams])
                guard let id = try QueryItems(request).one("stream_id") else {
                    return Answer.json(try await streams.list(for: service))
                }
                return Answer.json(try await streams.read(id, for: service))
            }.telling(
                EndpointShape(query: ["stream_id"], answer: "StreamConfigurations", security: .byService, errors: [404])
            ),
            Endpoint(.patch, path, "Change what the body names of a stream") { request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                return Answer.json(try await streams.update(body, for: service, replacing: false))
            }.telling(changed),
            Endpoint(.put, path, "Replace all that a receiver says of a stream") { request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                return Answer.json(try await streams.update(body, for: service, replacing: true))
            }.telling(changed),
            Endpoint(.delete, path, "Delete a stream; events go to BASE/events again") { request, context in
                let service = try await caller.service(request, context, [.manageStreams])
                try await streams.delete(try id(request), for: service)
                return Answer.empty(.noContent)
            }.telling(EndpointShape(query: ["stream_id!"], status: 204, security: .byService, errors: [404])),
        ]
    }

    private static func status(_ caller: StreamCaller, _ streams: EventStreams) -> [Endpoint] {
        [
            Endpoint(.get, "/ssf/status", "Whether a stream is enabled, paused or disabled") { request, context in
                let service = try await caller.service(request, context, [.readStreams, .manageStreams])
                return Answer.json(try await streams.status(try id(request), for: service))
            }.telling(
                EndpointShape(query: ["stream_id!"], answer: "StreamStatus", security: .byService, errors: [404])),
            Endpoint(.post, "/ssf/status", "Enable, pause or disable a stream") { request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                return Answer.json(try await streams.setStatus(body, for: service))
            }.telling(
                EndpointShape(
                    body: "StreamStatus", answer: "StreamStatus", isBodyNeeded: true, security: .byService,
                    errors: [404])),
            Endpoint(.post, "/ssf/verify", "Send a verification event over a stream") { request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                try await streams.verify(body, for: service)
                return Answer.empty(.noContent)
            }.telling(
                EndpointShape(
                    body: "StreamVerification", status: 204, isBodyNeeded: true, security: .byService,
                    others: [
                        OtherAnswer(
                            "429", "Asked again too soon: see min_verification_interval", "OAuthError",
                            saysWhenToRetry: true), .oauthError,
                    ], errors: [404])),
        ]
    }

    private static func subjects(_ caller: StreamCaller, _ streams: EventStreams) -> [Endpoint] {
        [
            Endpoint(.post, "/ssf/subjects/add", "All subjects are in a stream, so nothing is done") {
                request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                try await streams.addSubject(body, for: service)
                return Answer.empty(.ok)
            }.telling(EndpointShape(body: "StreamSubject", isBodyNeeded: true, security: .byService, errors: [404])),
            Endpoint(.post, "/ssf/subjects/remove", "Refused: all subjects stay in a stream") { request, context in
                let (service, body) = try await caller.body(request, context, [.manageStreams])
                try await streams.removeSubject(body, for: service)
                return Answer.empty(.noContent)
            }.telling(
                EndpointShape(
                    body: "StreamSubject", status: nil, isBodyNeeded: true, security: .byService,
                    others: [OtherAnswer("403", "Always, where all else is right", "OAuthError"), .oauthError],
                    errors: [404])),
        ]
    }

    private static func id(_ request: Request) throws -> String {
        guard let id = try QueryItems(request).one("stream_id") else {
            throw OAuthError(.invalidRequest, "stream_id is missing")
        }
        return id
    }
}

/// Which service asks for its stream.
private struct StreamCaller: Sendable {
    let idp: AuthorizationServer

    func service(
        _ request: Request, _ context: RoutedContext, _ scopes: [ServiceScope]
    ) async throws -> FederationService {
        try await idp.serviceAuthentication.require(
            request.presented(idp.realm.base, context), nil, scopes: scopes.map(\.rawValue))
    }

    /// With the body, whatever type it says it is: examples of the specification say none.
    func body(
        _ request: Request, _ context: RoutedContext, _ scopes: [ServiceScope]
    ) async throws -> (FederationService, JSONObject) {
        guard let body = try await BodyReading.anyJSON(request)?.object else {
            throw OAuthError(.invalidRequest, "the body must be a JSON object")
        }
        let shown = Vocabulary.OAuthParameters(
            json: body.filtered { ["client_id", "client_assertion", "client_assertion_type"].contains($0) })
        let service = try await idp.serviceAuthentication.require(
            request.presented(idp.realm.base, context), shown, scopes: scopes.map(\.rawValue))
        return (service, body)
    }
}
