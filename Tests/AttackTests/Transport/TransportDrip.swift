import Foundation

/// A sender that is never done.
struct TransportDrip: Sendable {
    struct NoConnection: Error {}

    let port: Int

    /// `head`, then a byte again and again until the other side speaks; what it says.
    func send(_ head: [UInt8], then byte: UInt8, every seconds: TimeInterval, atMost count: Int) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(head, byte, seconds, count) }) }
        }
    }

    private func exchange(_ head: [UInt8], _ byte: UInt8, _ seconds: TimeInterval, _ count: Int) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoConnection() }
        defer { close(descriptor) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port, address.sin_addr.s_addr) = (sa_family_t(AF_INET), in_port_t(port).bigEndian, inet_addr("127.0.0.1"))
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard connected == 0, Glibc.send(descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count else { throw NoConnection() }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<count {
            guard Glibc.send(descriptor, [byte], 1, Int32(MSG_NOSIGNAL)) == 1 else { break }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds * 1_000)) > 0 else { continue }
            let received = recv(descriptor, &buffer, buffer.count, 0)
            return String(decoding: buffer[..<max(0, received)], as: UTF8.self)
        }
        let received = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer[..<max(0, received)], as: UTF8.self)
    }
}
