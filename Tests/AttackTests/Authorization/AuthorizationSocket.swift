import Foundation
import HTTP
import Logging
import TestSupport

/// The server at a real socket, for what a test client would not send: bytes as they are.
struct AuthorizationSocket: Sendable {
    let port: Int

    static func with(
        _ server: TestServer, _ body: @Sendable @escaping (AuthorizationSocket) async throws -> Void
    ) async throws {
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let listener = Listener(address: "127.0.0.1", port: 0, answering: .table(server.parts.routes), logger: .quiet) {
            port in
            bound.yield(port)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.run() }
            group.addTask {
                for await port in ports { return try await body(AuthorizationSocket(port: port)) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Sends these bytes on a connection of their own; what comes until the other side closes, each byte a letter, or
    /// nothing where it closes without a word.
    func send(_ bytes: [UInt8]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try exchange(bytes) }) }
        }
    }

    struct NoConnection: Error {}

    private func exchange(_ bytes: [UInt8]) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw NoConnection() }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 10, tv_usec: 0), address = sockaddr_in()
        (address.sin_family, address.sin_port, address.sin_addr.s_addr) = (
            sa_family_t(AF_INET), in_port_t(port).bigEndian, inet_addr("127.0.0.1")
        )
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw NoConnection() }
        var rest = bytes[...]
        while !rest.isEmpty {
            // The other side may have answered and closed already.
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
        var answer = String.UnicodeScalarView(), buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(answer) }
            answer.append(contentsOf: buffer[..<count].map { Unicode.Scalar($0) })
        }
    }
}
