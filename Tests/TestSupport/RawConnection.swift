import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A connection to a listener of this machine, byte by byte: for what no HTTP client would do, and for WebSockets.
public struct RawConnection {
    public struct Over: Error {}

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var gathered: [UInt8] = []

    /// Over TLS where `tls` is given.
    /// - Throws: `ChannelError.connectTimeout`, where it is not let in `within` that time.
    public static func open<Value: Sendable>(
        _ port: Int, tls: NIOSSLContext? = nil, within limit: TimeAmount = .seconds(10),
        _ body: (inout RawConnection) async throws -> Value
    ) async throws -> Value {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(limit)
        let channel = try await bootstrap.connect(
            host: "127.0.0.1", port: port
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(
                        try NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                }
                return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        (self.inbound, self.outbound) = (inbound, outbound)
    }

    // MARK: Bytes

    public func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// False when the other side has closed.
    private mutating func more() async throws -> Bool {
        guard let buffer = try await inbound.next() else { return false }
        gathered += buffer.readableBytesView
        return true
    }

    private mutating func take(_ count: Int) async throws -> [UInt8] {
        while gathered.count < count { guard try await more() else { throw Over() } }
        defer { gathered.removeFirst(count) }
        return Array(gathered[..<count])
    }

    /// What comes until the other side closes.
    public mutating func rest() async -> [UInt8] {
        // Reset is closed as well.
        do { while try await more() {} } catch { return gathered }
        return gathered
    }

    // MARK: HTTP

    /// Lines of a request, and its body.
    public func ask(_ lines: [String], body: String = "") async throws {
        try await send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    }

    /// The next answer: its head, and a body of the length that it tells.
    public mutating func answer() async throws -> (head: String, body: String) {
        let end = Array("\r\n\r\n".utf8)
        var place: Int?
        while place == nil {
            if gathered.count >= 4 {
                place = (0...(gathered.count - 4)).first { Array(gathered[$0..<($0 + 4)]) == end }
            }
            if place == nil { guard try await more() else { throw Over() } }
        }
        let head = String(decoding: try await take(place ?? 0), as: UTF8.self)
        _ = try await take(4)
        let length = head.lowercased().firstMatch(of: #/content-length: *([0-9]+)/#).flatMap { Int($0.1) } ?? 0
        return (head, String(decoding: try await take(length), as: UTF8.self))
    }

    // MARK: WebSocket

    /// What asks for one (RFC 6455, 1.3).
    public static func upgrade(_ path: String, _ more: [String] = []) -> [String] {
        [
            "GET \(path) HTTP/1.1", "Host: localhost:8080", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ] + more
    }

    /// One frame. `first` in place of the first byte.
    public func frame(
        _ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true, first: UInt8? = nil
    ) async throws {
        var bytes = [first ?? (opcode | (isLast ? 0x80 : 0))]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        if isMasked { bytes += key }
        bytes += isMasked ? payload.enumerated().map { $0.element ^ key[$0.offset % 4] } : payload
        try await send(bytes)
    }

    public func say(_ text: String) async throws { try await frame(1, Array(text.utf8)) }

    /// The next frame of the server, which masks nothing.
    public mutating func heard() async throws -> (opcode: UInt8, payload: [UInt8]) {
        let head = try await take(2)
        var length = Int(head[1] & 0x7F)
        if length > 125 { length = try await take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0] & 0x0F, try await take(length))
    }

    /// The text of the next frame; the code of a close as `close 1000`.
    public mutating func text() async throws -> String {
        let frame = try await heard()
        guard frame.opcode == 8 else { return String(decoding: frame.payload, as: UTF8.self) }
        return "close \(frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })"
    }
}
