import Dispatch
import Foundation

/// Readiness of one socket, told on one serial queue; used on that queue only.
///
/// What is watched is a duplicate of libpq's descriptor, ours to close. libpq closes its own as soon as any call meets
/// the end of the connection; the number may at once be another connection's, and epoll, which Dispatch keys by number,
/// would then tell neither. `close(then:)` and `once(…, then:)` call back after the duplicate is gone.
final class SocketWatch {
    enum Direction { case reading, writing }

    private let queue: DispatchQueue
    private let registered = DispatchGroup()
    private var sources: [Int: any DispatchSourceProtocol] = [:]
    private var made = 0
    private var isClosed = false

    init(queue: DispatchQueue) { self.queue = queue }

    /// Calls `then` each time there is something to read, until `close`. `false` when there are no more descriptors.
    func always(readable socket: Int32, then: @escaping @Sendable () -> Void) -> Bool {
        guard let copy = duplicate(socket) else { return false }
        let source = DispatchSource.makeReadSource(fileDescriptor: copy, queue: queue)
        source.setEventHandler(handler: then)
        register(source, copy) {}
        return true
    }

    /// Calls `then` once; never after `close`. `false` when there are no more descriptors.
    func once(_ direction: Direction, _ socket: Int32, then: @escaping @Sendable () -> Void) -> Bool {
        guard let copy = duplicate(socket) else { return false }
        let source: any DispatchSourceProtocol =
            switch direction {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: copy, queue: queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: copy, queue: queue)
            }
        source.setEventHandler { source.cancel() }
        register(source, copy, cancelled: then)
        return true
    }

    /// Lets go of the socket, then calls `then`.
    func close(then: @escaping @Sendable () -> Void) {
        isClosed = true
        for source in sources.values { source.cancel() }
        registered.notify(queue: queue, execute: then)
    }

    private func duplicate(_ socket: Int32) -> Int32? {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    private func register(
        _ source: any DispatchSourceProtocol, _ copy: Int32, cancelled: @escaping @Sendable () -> Void
    ) {
        made += 1
        let key = made
        sources[key] = source
        registered.enter()
        source.setCancelHandler { [registered] in
            // Also breaks the cycle of a source whose handler names it.
            source.setEventHandler(handler: nil)
            self.sources[key] = nil
            Foundation.close(copy)
            if !self.isClosed { cancelled() }
            registered.leave()
        }
        source.resume()
    }
}
