import Foundation

/// Readiness of one connection's socket, told on the loop; used there only.
///
/// What is watched is a duplicate of libpq's descriptor, ours to close. libpq closes its own as soon as any call meets
/// the end of the connection; the number may at once be another connection's, whose readiness would then be told to
/// this one.
struct SocketWatch {
    enum Direction { case reading, writing }

    private let loop: IOLoop
    private var standing: Int32?
    /// Told already, perhaps, and closed with the next.
    private var single: Int32?

    init(_ loop: IOLoop) { self.loop = loop }

    /// Calls `then` each time there is something to read, until `close`. `false` when there are no more descriptors.
    mutating func always(readable socket: Int32, then: @escaping @Sendable () -> Void) -> Bool {
        guard let copy = SocketWatch.duplicate(socket) else { return false }
        close(&standing)
        standing = copy
        loop.watch(copy, Int16(POLLIN), isOnce: false, then)
        return true
    }

    /// Calls `then` once, unless there is another `once` or `close` before. `false` when there are no more descriptors.
    mutating func once(_ direction: Direction, _ socket: Int32, then: @escaping @Sendable () -> Void) -> Bool {
        guard let copy = SocketWatch.duplicate(socket) else { return false }
        close(&single)
        single = copy
        loop.watch(copy, Int16(direction == .reading ? POLLIN : POLLOUT), isOnce: true, then)
        return true
    }

    mutating func close() {
        close(&standing)
        close(&single)
    }

    private static func duplicate(_ socket: Int32) -> Int32? {
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    private func close(_ copy: inout Int32?) {
        guard let descriptor = copy else { return }
        copy = nil
        loop.unwatch(descriptor)
        Foundation.close(descriptor)
    }
}
