import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Server-sent events (WHATWG HTML, 9.2) for a page that waits for something: one event `state` whenever it has become another. What it has become is not told:
/// the page is asked for again (`WatchScript`).
enum WatchedEvents {
    /// Seconds that one look may wait; then a line of comment keeps proxies from taking the connection for dead, and finds out whether somebody still listens.
    static let heartbeat = 15
    /// Then the browser comes again by itself, and names the state that it has seen.
    static let longest = Duration.seconds(600)

    struct State: Sendable {
        let etag: String
        /// No other can follow: the stream ends.
        let isFinal: Bool
    }

    /// `seen` is the state that the page shows; without one, that of now is told at once. `look` waits at most `heartbeat` seconds for a state other than the one
    /// it is given, and tells the state at the end. Ends when that is final, after `longest`, when the server shuts down, and when `look` throws.
    static func respond(seen: String?, _ look: @escaping @Sendable (_ etag: String) async throws -> State) -> Response {
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"]
        return Response(status: .ok, headers: headers, body: ResponseBody { writer in
            let end = ContinuousClock.now + longest
            var known = seen ?? ""
            try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
            while ContinuousClock.now < end, !Task.isCancelled, !Task.isShuttingDownGracefully {
                let etag = known
                guard let state = try? await cancelWhenGracefulShutdown({ try await look(etag) }) else { break }
                guard state.etag != known || state.isFinal else {
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                    continue
                }
                known = state.etag
                try await writer.write(ByteBuffer(string: "id: \(known)\nevent: state\ndata: \(state.isFinal ? "final" : "changed")\n\n"))
                if state.isFinal { break }
            }
            try await writer.finish(nil)
        })
    }
}

extension BrowserRequest {
    /// The state that a page has shown, or that its event stream told last.
    var seen: String? {
        get throws {
            guard let seen = try lastEvent ?? parameters["seen"], seen.utf8.count <= 128 else { return nil }
            return seen
        }
    }
}

extension HTTPField.Name {
    /// nginx would keep events until there are enough of them.
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .server
}
