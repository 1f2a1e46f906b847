import Foundation
import NIOCore
import NIOPosix
import Server

/// What one connection does once it is there.
enum BenchSocketPart: Sendable {
    /// Joins, answers pings, and is quiet.
    case idle
    case page(cookie: String, request: String)
    case wallet(cookie: String, request: String)
    /// Speaks no protocol: what it sends comes back.
    case echo

    /// Who begins: one side of a link, and everybody at the echo.
    var begins: Bool {
        switch self {
        case .page, .echo: true
        case .idle, .wallet: false
        }
    }
}

/// What all connections of a process count together.
final class BenchSocketScore: Sendable {
    let alive = Locked(0)
    let messages = Locked(0)
    let isOver = Locked(true)
    /// The last reason why one did not come to be.
    let refusal = Locked("")
}

/// Many connections to one port of this machine.
struct BenchSocketCrowd: Sendable {
    /// Connections that are made at a time, and those from one address: a server counts links by address, and an
    /// address has only so many ports.
    private static let atOnce = 64, perAddress = 40

    let score = BenchSocketScore()

    /// As many as could be opened, in the order of `parts`.
    func open(_ parts: [BenchSocketPart], port: Int) async -> [any Channel] {
        var opened: [any Channel] = []
        for start in stride(from: 0, to: parts.count, by: BenchSocketCrowd.atOnce) {
            let range = start..<min(start + BenchSocketCrowd.atOnce, parts.count)
            opened += await withTaskGroup(of: (number: Int, channel: (any Channel)?).self) { group in
                for number in range {
                    group.addTask { (number, await connect(parts[number], number: number, port: port)) }
                }
                var found: [(number: Int, channel: any Channel)] = []
                for await one in group { if let channel = one.channel { found.append((one.number, channel)) } }
                return found.sorted { $0.number < $1.number }.map { $0.channel }
            }
            // Descriptors are used up, or nobody listens.
            if opened.count < range.upperBound { break }
        }
        return opened
    }

    /// Once they are closed.
    func close(_ channels: [any Channel]) async {
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// A second to warm up, then so many. Messages, milliseconds, connections lost, and messages of both.
    func talk(_ channels: [any Channel], for seconds: Int) async throws -> [Double] {
        let before = score.alive.with { $0 }
        score.messages.with { $0 = 0 }
        score.isOver.with { $0 = false }
        for channel in channels { channel.triggerUserOutboundEvent(BenchSocketHandler.Begin(), promise: nil) }
        try await Task.sleep(for: .seconds(1))
        let start = ContinuousClock.now, warm = score.messages.with { $0 }
        try await Task.sleep(for: .seconds(seconds))
        let all = score.messages.with { $0 }, time = (ContinuousClock.now - start) / .milliseconds(1)
        score.isOver.with { $0 = true }
        try await Task.sleep(for: .milliseconds(200))
        return [Double(all - warm), time, Double(before - score.alive.with { $0 }), Double(all)]
    }

    private func connect(_ part: BenchSocketPart, number: Int, port: Int) async -> (any Channel)? {
        let loop = MultiThreadedEventLoopGroup.singleton.next(), ready = loop.makePromise(of: Void.self),
            score = self.score
        let block = number / BenchSocketCrowd.perAddress
        do {
            let source = try SocketAddress(ipAddress: "127.1.\(block / 250).\(block % 250 + 1)", port: 0)
            let connecting = ClientBootstrap(group: loop).bind(to: source)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            BenchSocketHandler(part, port: port, ready: ready, score: score))
                    }
                }
                .connect(host: "127.0.0.1", port: port)
            connecting.whenFailure { ready.fail($0) }
            let channel = try await connecting.get()
            try await ready.futureResult.get()
            return channel
        } catch {
            score.refusal.with { $0 = "\(error)" }
            return nil
        }
    }
}
