import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Vocabulary

/// Server-sent events (WHATWG HTML, 9.2) for a page that waits for something: one event `state` whenever it has become
/// another. What it has become is not told: the page is asked for again (`WatchScript`).
public enum WatchedEvents {
    /// Seconds that one look may wait; then a line of comment keeps proxies from taking the connection for dead, and
    /// finds out whether somebody still listens.
    public static let heartbeat = 15
    /// Then the browser comes again by itself, and names the state that it has seen.
    static let longest = Duration.seconds(600)

    /// Between the end of a stream that made room and its page's asking: at once, the pages of one browser would turn
    /// each other out without an end.
    public static let pause = Duration.seconds(5)

    /// For who loses its place or finds none: the page asks by itself, as one without script does; what is no page
    /// comes again later.
    private static var ask: ByteBuffer { ByteBuffer(string: "retry: 30000\nevent: state\ndata: changed\n\n") }

    public struct State: Sendable {
        let etag: String
        /// No other can follow: the stream ends.
        let isFinal: Bool

        public init(etag: String, isFinal: Bool) { (self.etag, self.isFinal) = (etag, isFinal) }
    }

    /// `seen` is the state that the page shows; without one, that of now is told at once. `look` waits at most
    /// `heartbeat` seconds for a state other than the one it is given, and tells the state at the end. Ends when that
    /// is final, after `longest`, when the server shuts down, when `look` throws, and when the `browser` has many newer
    /// ones (`OpenStreams`). `address` is the sender's.
    public static func respond(
        seen: String?, of browser: String? = nil, from address: String?, in streams: OpenStreams = .ofProcess,
        pause: Duration = WatchedEvents.pause,
        _ look: @escaping @Sendable (_ etag: String) async throws -> State
    ) throws -> Response {
        guard !streams.isFull(for: address) else {
            throw OAuthError(
                .temporarilyUnavailable, "too many are listening here; ask again in a while", retryAfter: 10)
        }
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                // Not before: a body that nobody reads would never leave.
                guard let place = streams.enter(browser, from: address) else {
                    try await writer.write(ask)
                    return try await writer.finish(nil)
                }
                defer { streams.leave(place) }
                let end = ContinuousClock.now + longest
                var known = seen ?? ""
                try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                while ContinuousClock.now < end, !Task.isCancelled, !Task.isShuttingDownGracefully, !place.isOver {
                    let etag = known
                    guard
                        let state = try? await place.look({
                            try await cancelWhenGracefulShutdown { try await look(etag) }
                        }), !place.isOver
                    else { break }
                    guard state.etag != known || state.isFinal else {
                        try await writer.write(ByteBuffer(string: ":\n\n"))
                        continue
                    }
                    known = state.etag
                    try await writer.write(
                        ByteBuffer(
                            string: "id: \(known)\nevent: state\ndata: \(state.isFinal ? "final" : "changed")\n\n"))
                    if state.isFinal { break }
                }
                if place.isOver {
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
                    try await writer.write(ask)
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
    static let accelBuffering = named("X-Accel-Buffering")
}
