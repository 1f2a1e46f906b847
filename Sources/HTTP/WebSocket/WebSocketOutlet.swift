import NIOCore
import NIOWebSocket
import Synchronization

/// The way out of one WebSocket, for those who must not wait: messages in order, as many as `limit` bytes of them ahead
/// of what the other side has taken.
///
/// It may be written to before the 101 has gone out: `open` sends what has gathered.
public final class WebSocketOutlet: Sendable {
    private struct State: Sendable {
        var queue: [WebSocketMessage] = []
        /// Bytes that the connection has not taken yet.
        var waiting = 0
        var framing: NIOLoopBound<WebSocketFraming>?
        var isAwaited = false
        var closes = false
    }

    private let limit: Int
    private let state = Mutex(State())

    public init(limit: Int) { self.limit = limit }

    /// False when too much waits, or after `close`: the message is dropped then.
    public func send(_ message: WebSocketMessage) -> Bool {
        let cost = message.count + 16
        return change { state in
            guard !state.closes, state.waiting + cost <= limit else { return false }
            state.queue.append(message)
            state.waiting += cost
            return true
        }
    }

    /// Bytes that the connection has not taken yet.
    public var waiting: Int { state.withLock { $0.waiting } }

    /// After what was sent before.
    public func close() {
        change { $0.closes = true }
    }

    /// Once the 101 is written. Throws where the connection is over, or became no WebSocket.
    func open(_ channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            let framing = try channel.pipeline.syncOperations.handler(type: WebSocketFraming.self)
            let bound = NIOLoopBound(framing, eventLoop: channel.eventLoop)
            self.change { $0.framing = bound }
        }.get()
    }

    /// Of all changes before the connection's loop has its turn one asks for that turn.
    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, loop) = state.withLock { state -> (Value, (any EventLoop)?) in
            let value = body(&state)
            guard let framing = state.framing, !state.isAwaited, !state.queue.isEmpty || state.closes else {
                return (value, nil)
            }
            state.isAwaited = true
            return (value, framing.eventLoop)
        }
        loop?.execute { self.drain() }
        return value
    }

    private func drain() {
        let (framing, messages, closes) = state.withLock {
            state -> (NIOLoopBound<WebSocketFraming>?, [WebSocketMessage], Bool) in
            let messages = state.queue
            (state.queue, state.isAwaited) = ([], false)
            return (state.framing, messages, state.closes)
        }
        guard let framing = framing?.value else { return }
        if !messages.isEmpty {
            for message in messages.dropLast() { framing.send(message, promise: nil) }
            let cost = messages.reduce(0) { $0 + $1.count + 16 }
            framing.send(
                messages[messages.count - 1],
                promise: framing.promise { [weak self] in self?.state.withLock { $0.waiting -= cost } })
            framing.flush()
        }
        if closes { framing.close(.normalClosure) }
    }
}
