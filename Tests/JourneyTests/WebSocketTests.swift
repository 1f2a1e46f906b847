import Base
import Foundation
import HTTP
import HTTPTypes
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import TestSupport
import Testing

/// At a listener as `pando serve` has it; the route is that of signalling.
@Suite("WebSockets as routes (RFC 6455)", .server)
struct WebSocketTests {
    private static let path = "/socket.io/?EIO=4&transport=websocket"
    private static let plain = ["GET /healthz HTTP/1.1", "Host: localhost:8080"]

    private func with<Value: Sendable>(
        _ body: @Sendable @escaping (inout RawConnection) async throws -> Value
    ) async throws {
        try await TestServer.ofSuite.listening(nil) { port in _ = try await RawConnection.open(port, body) }
    }

    /// Past the 101 and the handshake.
    private static func open(_ connection: inout RawConnection, _ more: [String] = []) async throws -> String {
        try await connection.ask(RawConnection.upgrade(path, more))
        let answer = try await connection.answer()
        let hello = try await connection.text()
        #expect(hello.hasPrefix("0{"))
        return answer.head
    }

    @Test(
        """
        a connection that has served requests becomes a WebSocket, with the answer that the RFC computes and no \
        extension
        """
    )
    func opening() async throws {
        try await with { connection in
            for _ in 0..<2 {
                try await connection.ask(Self.plain)
                let served = try await connection.answer()
                #expect(served.head.hasPrefix("HTTP/1.1 200"))
            }
            let head = try await Self.open(
                &connection,
                [
                    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
                    "Sec-WebSocket-Protocol: chat",
                ])
            try await connection.say("40")
            let joined = try await connection.text()

            // RFC 6455, 1.3.
            #expect(
                head.hasPrefix("HTTP/1.1 101")
                    && head.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="))
            #expect(
                !head.lowercased().contains("sec-websocket-extensions")
                    && !head.lowercased().contains("sec-websocket-protocol"))
            #expect(joined.hasPrefix(#"40{"sid":""#))
        }
    }

    @Test("messages come whole from fragments, with a ping between; a pong is not answered")
    func fragments() async throws {
        try await with { connection in
            _ = try await Self.open(&connection)
            try await connection.frame(1, Array("4".utf8), isLast: false)
            try await connection.frame(9, Array("there?".utf8))
            try await connection.frame(10, [])
            try await connection.frame(0, [], isLast: false)
            try await connection.frame(0, Array("0".utf8))
            let pong = try await connection.heard(), joined = try await connection.text()

            #expect(pong.opcode == 10 && pong.payload == Array("there?".utf8) && joined.hasPrefix("40{"))
        }
    }

    @Test(
        "what breaks the protocol ends the connection with the code for it",
        arguments: [
            "unmasked", "reserved bit", "unknown opcode", "continuation of nothing", "message in a message",
            "long ping", "ping in pieces", "no UTF-8",
            "long", "long in pieces",
        ])
    func broken(_ what: String) async throws {
        try await with { connection in
            _ = try await Self.open(&connection)
            var code = 1002
            switch what {
            case "unmasked": try await connection.frame(1, Array("40".utf8), isMasked: false)
            case "reserved bit": try await connection.frame(1, Array("40".utf8), first: 0xC1)
            case "unknown opcode": try await connection.frame(3, [])
            case "continuation of nothing": try await connection.frame(0, Array("40".utf8))
            case "message in a message":
                try await connection.frame(1, Array("4".utf8), isLast: false)
                try await connection.frame(1, Array("0".utf8))
            case "long ping": try await connection.frame(9, [UInt8](repeating: 0x61, count: 126))
            case "ping in pieces": try await connection.frame(9, [], isLast: false)
            case "no UTF-8":
                try await connection.frame(1, [0x34, 0xC3, 0x28])
                code = 1007
            case "long":
                try await connection.frame(1, [UInt8](repeating: 0x34, count: 1_000_001))
                code = 1009
            default:
                try await connection.frame(1, [UInt8](repeating: 0x34, count: 200_000), isLast: false)
                try await connection.frame(0, [UInt8](repeating: 0x34, count: 200_000))
                code = 1009
            }
            let told = try await connection.text()
            // It may be gone already, or read nothing any more.
            try? await connection.frame(8, [0x03, 0xE8])
            let rest = await connection.rest()
            #expect(told == "close \(code)" && rest.isEmpty)
        }
    }

    @Test("a close is answered with its code, one with a code that may not stand with 1002; then the connection ends")
    func closing() async throws {
        let cases: [([UInt8], String)] = [
            ([0x03, 0xE8], "close 1000"), ([], "close 0"), ([0x0F, 0xA0], "close 4000"), ([0x03, 0xED], "close 1002"),
            ([0x03], "close 1002"),
        ]
        for (sent, told) in cases {
            try await with { connection in
                _ = try await Self.open(&connection)
                try await connection.frame(8, sent)
                let heard = try await connection.text()
                let rest = await connection.rest()
                #expect(heard == told && rest.isEmpty)
            }
        }
    }

    @Test(
        """
        what is no right opening is answered in HTTP, and the connection says that it ends: nothing is read behind a \
        request for another protocol
        """
    )
    func refused() async throws {
        let cases: [(lines: [String], status: String)] = [
            (RawConnection.upgrade("/socket.io/?EIO=4&transport=websocket&sid=nobody"), "400"),
            (RawConnection.upgrade(Self.path).map { $0.replacing("Version: 13", with: "Version: 8") }, "426"),
            (
                RawConnection.upgrade(Self.path).map { $0.replacing("dGhlIHNhbXBsZSBub25jZQ==", with: "c2hvcnQ=") },
                "400"
            ),
            (RawConnection.upgrade(Self.path, ["Content-Length: 2"]), "400"),
            (RawConnection.upgrade(Self.path, ["Origin: https://evil.example"]), "403"),
            (RawConnection.upgrade("/healthz"), "200"),
            (
                Self.plain + [
                    "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__",
                ], "200"
            ),
        ]
        for (lines, status) in cases {
            try await with { connection in
                try await connection.ask(lines, body: lines.contains("Content-Length: 2") ? "40" : "")
                let answer = try await connection.answer()
                let rest = await connection.rest()
                #expect(
                    answer.head.hasPrefix("HTTP/1.1 \(status)")
                        && answer.head.lowercased().contains("connection: close") && rest.isEmpty,
                    "\(lines.first ?? "")")
            }
        }
        let polled = try await TestServer.ofSuite.get("/socket.io/?EIO=4&transport=websocket")
        #expect(polled.status == 400)
    }

    @Test("requests that were sent together are answered in order, and the last becomes a WebSocket")
    func pipelined() async throws {
        try await with { connection in
            let lines =
                Self.plain.joined(separator: "\r\n") + "\r\n\r\n"
                + RawConnection.upgrade(Self.path).joined(separator: "\r\n") + "\r\n\r\n"
            try await connection.send(Array(lines.utf8))
            let first = try await connection.answer(), second = try await connection.answer(),
                hello = try await connection.text()
            #expect(first.head.hasPrefix("HTTP/1.1 200") && !first.head.lowercased().contains("connection: close"))
            #expect(second.head.hasPrefix("HTTP/1.1 101") && hello.hasPrefix("0{"))
        }
    }

    @Test("over TLS it is the same")
    func secure() async throws {
        let server = try TestServer.ofSuite, authority = try TestAuthority("root"),
            own = try authority.issue("server")
        let security = try TransportSecurity(
            certificates: own.pem + "\n" + authority.own.pem, key: own.keyPEM, authorities: nil, clock: .system)
        var client = TLSConfiguration.makeClientConfiguration()
        client.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.own.der, format: .der)])
        let context = try NIOSSLContext(configuration: client)
        try await server.listening(security) { port in
            try await RawConnection.open(port, tls: context) { connection in
                _ = try await Self.open(&connection)
                try await connection.say("40")
                let joined = try await connection.text()
                #expect(joined.hasPrefix("40{"))
            }
        }
    }

    private struct Listening: Service {
        let listener: Listener

        func run() async throws { try await listener.run() }
    }

    @Test("graceful shutdown tells who listens that the server goes, ends what waits, and waits for neither")
    func shutdown() async throws {
        let server = try TestServer.ofSuite, (ports, bound) = AsyncStream<Int>.makeStream()
        let listener = Listener(address: "127.0.0.1", port: 0, answering: .table(server.parts.routes), logger: .quiet) {
            bound.yield($0)
        }
        let group = ServiceGroup(services: [Listening(listener: listener)], logger: .quiet)
        async let running: Void = group.run()
        var numbers = ports.makeAsyncIterator()
        let number = await numbers.next(), port = try #require(number)
        try await RawConnection.open(port) { waiting in
            try await waiting.ask(["GET /socket.io/?EIO=4&transport=polling HTTP/1.1", "Host: localhost"])
            let hello = try await waiting.answer(),
                sid = try JSONReader.read(Array(hello.body.dropFirst().utf8))["sid"]?.string ?? ""
            try await waiting.ask(["GET /socket.io/?EIO=4&transport=polling&sid=\(sid) HTTP/1.1", "Host: localhost"])
            let told = try await RawConnection.open(port) { connection in
                _ = try await Self.open(&connection)
                await group.triggerGracefulShutdown()
                let told = try await connection.text()
                try await connection.frame(8, [0x03, 0xE9])
                return told
            }
            let rest = await waiting.rest()
            #expect(told == "close 1001" && String(decoding: rest, as: UTF8.self).hasPrefix("HTTP/1.1 "))
        }
        try await running
    }
}
