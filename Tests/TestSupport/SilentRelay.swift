import Foundation
import Synchronization

/// Stands before the PostgreSQL of the tests as a network does, and can swallow all that comes: connections stay open,
/// new ones are accepted, and nothing is said on any of them.
public final class SilentRelay: Sendable {
    public struct Failed: Error, CustomStringConvertible { public let description: String }

    public let port: Int
    private let listener: Int32
    private let server: String
    private let silent = Atomic(false)
    private let closed = Atomic(false)

    /// - Parameter server: path of the server's Unix-domain socket.
    public init(to server: String) throws {
        self.server = server
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Failed(description: "no port for a relay") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { self.accept() }
    }

    /// The conninfo that leads through it, of one that names a Unix-domain socket's folder.
    public static func before(_ conninfo: String) throws -> (relay: SilentRelay, conninfo: String) {
        let words = conninfo.split(separator: " ").map(String.init)
        func value(_ name: String) -> String? {
            words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        guard let host = value("host"), host.hasPrefix("/") else {
            throw Failed(description: "these tests need PostgreSQL on a Unix-domain socket")
        }
        let relay = try SilentRelay(to: "\(host)/.s.PGSQL.\(value("port") ?? "5432")")
        let rest = words.filter { !$0.hasPrefix("host=") && !$0.hasPrefix("port=") }
        return (
            relay,
            (["host=127.0.0.1", "port=\(relay.port)", "sslmode=disable", "gssencmode=disable"] + rest).joined(
                separator: " ")
        )
    }

    public func fallSilent() { silent.store(true, ordering: .releasing) }
    public func speak() { silent.store(false, ordering: .releasing) }

    public func close() {
        closed.store(true, ordering: .releasing)
        speak()
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
    }

    private func accept() {
        while !closed.load(ordering: .acquiring) {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            Thread.detachNewThread { self.relay(client) }
        }
    }

    private func relay(_ client: Int32) {
        waitWhileSilent()
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let ended = DispatchSemaphore(value: 0)
        if isConnected {
            for (from, to) in [(client, upstream), (upstream, client)] {
                Thread.detachNewThread {
                    self.copy(from, to)
                    // Whoever ends, the other learns it.
                    shutdown(from, Int32(SHUT_RDWR))
                    shutdown(to, Int32(SHUT_RDWR))
                    ended.signal()
                }
            }
            ended.wait()
            ended.wait()
        }
        Foundation.close(upstream)
        Foundation.close(client)
    }

    private func copy(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0 else { return }
            waitWhileSilent()
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
    }

    private func waitWhileSilent() {
        while silent.load(ordering: .acquiring) { usleep(20_000) }
    }
}
