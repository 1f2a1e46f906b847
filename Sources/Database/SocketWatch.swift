import Dispatch

/// Readiness of one socket, told on one serial queue; used on that queue only.
///
/// libpq closes the socket, and epoll must have let go of it by then: whoever calls `PQfinish` or `PQconnectPoll` (which may
/// change sockets) does so from `close(then:)` or `once(…, then:)`, which run after the cancel handlers.
final class SocketWatch {
    enum Direction { case reading, writing }

    private let queue: DispatchQueue
    private let registered = DispatchGroup()
    private var sources: [Int: any DispatchSourceProtocol] = [:]
    private var made = 0
    private var isClosed = false

    init(queue: DispatchQueue) { self.queue = queue }

    /// Calls `then` each time there is something to read, until `close`.
    func always(readable socket: Int32, then: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler(handler: then)
        register(source) {}
    }

    /// Calls `then` once, when the source is gone again; never after `close`.
    func once(_ direction: Direction, _ socket: Int32, then: @escaping @Sendable () -> Void) {
        let source: any DispatchSourceProtocol = switch direction {
        case .reading: DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        case .writing: DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
        }
        source.setEventHandler { source.cancel() }
        register(source, cancelled: then)
    }

    /// Lets go of the socket, then calls `then`.
    func close(then: @escaping @Sendable () -> Void) {
        isClosed = true
        for source in sources.values { source.cancel() }
        registered.notify(queue: queue, execute: then)
    }

    private func register(_ source: any DispatchSourceProtocol, cancelled: @escaping @Sendable () -> Void) {
        made += 1
        let key = made
        sources[key] = source
        registered.enter()
        source.setCancelHandler { [registered] in
            // Also breaks the cycle of a source whose handler names it.
            source.setEventHandler(handler: nil)
            self.sources[key] = nil
            if !self.isClosed { cancelled() }
            registered.leave()
        }
        source.resume()
    }
}
