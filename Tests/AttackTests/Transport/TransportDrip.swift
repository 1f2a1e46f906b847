import Foundation
import NIOCore
import TestSupport

/// Bytes over a connection of their own, from threads of their own: the pool that the server and its database run on
/// must not be blocked by a client.
struct TransportDrip: Sendable {
    struct NoConnection: Error {}

    let port: Int

    static func with(
        _ server: TestServer, headLimit: TimeAmount = .seconds(20), bodyLimit: TimeAmount = .seconds(20),
        _ body: @Sendable @escaping (TransportDrip) async throws -> Void
    ) async throws {
        try await server.listening(nil, headLimit: headLimit, bodyLimit: bodyLimit) { port in
            try await body(TransportDrip(port: port))
        }
    }

    /// What comes until the other side closes, or is silent for half a minute.
    func send(_ bytes: [UInt8]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try exchange(bytes) }) }
        }
    }

    /// `head`, then a byte again and again until the other side speaks; what it says.
    func send(_ head: [UInt8], then byte: UInt8, every seconds: TimeInterval, atMost count: Int) async throws -> String
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try drip(head, byte, seconds, count) ?? "" }) }
        }
    }

    /// `head`, then a byte again and again, also behind an answer; what came until the other side closed, or nothing
    /// for half a minute.
    func send(_ head: [UInt8], dripping byte: UInt8, every seconds: TimeInterval) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try dripped(head, byte, seconds) }) }
        }
    }

    /// The same; whether the other side hung up meanwhile.
    func isEnded(_ head: [UInt8], then byte: UInt8, every seconds: TimeInterval, atMost count: Int) async throws -> Bool
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try drip(head, byte, seconds, count) == nil }) }
        }
    }

    private func connected() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoConnection() }
        var address = sockaddr_in(), limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        (address.sin_family, address.sin_port, address.sin_addr.s_addr) = (
            sa_family_t(AF_INET), in_port_t(port).bigEndian, inet_addr("127.0.0.1")
        )
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw NoConnection()
        }
        return descriptor
    }

    private func exchange(_ bytes: [UInt8]) throws -> String {
        let descriptor = try connected()
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            // The other side may have answered and closed already.
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
        var answer: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
    }

    private func dripped(_ head: [UInt8], _ byte: UInt8, _ seconds: TimeInterval) throws -> String {
        let descriptor = try connected(), patience = Date().addingTimeInterval(30)
        defer { close(descriptor) }
        guard Glibc.send(descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count else { throw NoConnection() }
        var answer: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4_096), next = Date()
        while Date() < patience {
            if Date() >= next {
                _ = Glibc.send(descriptor, [byte], 1, Int32(MSG_NOSIGNAL))
                next = Date().addingTimeInterval(seconds)
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 100) > 0 else { continue }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            // Reset is closed as well.
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
        throw NoConnection()
    }

    /// `nil` where the other side hung up without a word.
    private func drip(_ head: [UInt8], _ byte: UInt8, _ seconds: TimeInterval, _ count: Int) throws -> String? {
        let descriptor = try connected()
        defer { close(descriptor) }
        guard Glibc.send(descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count else { throw NoConnection() }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<count {
            guard Glibc.send(descriptor, [byte], 1, Int32(MSG_NOSIGNAL)) == 1 else { break }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds * 1_000)) > 0 else { continue }
            break
        }
        let received = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if received == 0 || received < 0 && errno != EAGAIN { return nil }
        return String(decoding: buffer[..<max(0, received)], as: UTF8.self)
    }
}
