import HTTP
import HTTPTypes
import Hummingbird

/// An operation as server-sent events: `state` with `changed` or `final` whenever it is another. What it has become is
/// read by `GET`, which asks who may.
enum OperationsEventStream {
    private static let type = "text/event-stream"

    static func isWanted(_ request: Request) -> Bool {
        AcceptedType.choose(among: ["application/json", type], for: request) == type
    }

    /// `address`: of which only so many may listen (`OpenStreams`); `nil` for whom that does not bind.
    /// `look` waits so many seconds for another state than that of the tag. Begins with the state of now, unless
    /// `Last-Event-ID` names it.
    static func respond(
        _ request: Request, from address: String?,
        _ look: @escaping @Sendable (_ tag: String, _ seconds: Int) async throws -> OperationView
    ) throws -> Response {
        try WatchedEvents.respond(
            seen: request.headers[.lastEvent].flatMap { $0.utf8.count <= 128 ? $0 : nil }, from: address
        ) { tag in
            let view = try await look(tag, WatchedEvents.heartbeat)
            return WatchedEvents.State(etag: view.etag, isFinal: view.isFinal)
        }
    }
}

extension HTTPField.Name {
    fileprivate static let lastEvent = named("Last-Event-ID")
}
