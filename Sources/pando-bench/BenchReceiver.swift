import Foundation
import NIOCore
import NIOPosix
import Server

/// Services that hear: one listener in this process that answers 202 to whatever is posted, verifies nothing, and
/// remembers when it came and to which path.
struct BenchReceiver: Sendable {
    struct Arrival: Sendable {
        let path: String
        let at: ContinuousClock.Instant
    }

    private static let answer = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    /// `http://127.0.0.1:PORT`.
    let address: String
    private let arrivals = Locked<[Arrival]>([])

    /// Listens as long as `body` runs.
    static func run<Result: Sendable>(_ body: (BenchReceiver) async throws -> Result) async throws -> Result {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 1_024)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        guard let port = server.channel.localAddress?.port else { throw BenchFailure.notServing }
        let receiver = BenchReceiver(address: "http://127.0.0.1:\(port)")
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await receiver.listen(server) }
            defer { group.cancelAll() }
            return try await body(receiver)
        }
    }

    /// Those that came to a path which begins so, once there are `count` of them.
    /// - Throws: `BenchFailure` where there are fewer within `limit`.
    func first(_ count: Int, below prefix: String, within limit: Duration) async throws -> [Arrival] {
        let deadline = ContinuousClock.now + limit
        while true {
            let found = all(below: prefix)
            if found.count >= count { return found }
            guard ContinuousClock.now < deadline else {
                throw BenchFailure.told("\(found.count) of \(count) came to \(prefix) within \(limit)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func all(below prefix: String) -> [Arrival] { arrivals.with { $0 }.filter { $0.path.hasPrefix(prefix) } }

    func forget() { arrivals.with { $0 = [] } }

    private func listen(_ server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections { group.addTask { _ = try? await serve(connection) } }
            }
        }
    }

    /// Who posts keeps no connections.
    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var read = ByteBuffer()
            for try await part in inbound {
                read.writeImmutableBuffer(part)
                guard let path = BenchReceiver.path(ofWhole: read) else { continue }
                arrivals.with { $0.append(Arrival(path: path, at: .now)) }
                try await outbound.write(ByteBuffer(string: BenchReceiver.answer))
                return
            }
        }
    }

    /// `nil` until all of the request is there.
    private static func path(ofWhole read: ByteBuffer) -> String? {
        let bytes = read.readableBytesView
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        let length = lines.lazy.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].trimmingCharacters(in: .whitespaces))
        }.first
        guard words.count == 3, bytes.distance(from: end.upperBound, to: bytes.endIndex) >= length ?? 0 else {
            return nil
        }
        return String(words[1])
    }
}
