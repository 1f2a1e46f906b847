import ArgumentParser
import Base
import Foundation
import NIOCore
import NIOPosix

/// `pando-bench sockets`: what `bench liquid` measures against, in processes of their own, so that their memory and
/// descriptors are not counted as the server's.
///
/// A line of standard input is a command, and a line of standard output its answer: `ok` and numbers, or words. It ends
/// with its standard input.
struct BenchSockets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sockets", abstract: "The other ends of sockets; started by bench liquid.", shouldDisplay: false)

    @Flag(help: "Be a bare echo.") var echo = false

    func run() async throws {
        let listener: (any Channel)? = if echo { try await BenchEcho.listen() } else { nil }
        BenchSockets.say([Double(listener?.localAddress?.port ?? 0)])
        var held: [any Channel] = []
        let crowd = BenchSocketCrowd()
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init), numbers = words.map { Int($0) ?? 0 }
            do {
                switch (words.first ?? "", words.count) {
                case ("memory", 1): BenchSockets.say([BenchUsage.residentMemory ?? 0])
                case ("alive", 1): BenchSockets.say([Double(crowd.score.alive.with { $0 })])
                case ("drop", 1):
                    await crowd.close(held)
                    held = []
                    BenchSockets.say([])
                case ("hold", 4):
                    let kind: BenchSocketPart = words[1] == "echo" ? .echo : .idle
                    held = await crowd.open([BenchSocketPart](repeating: kind, count: numbers[3]), port: numbers[2])
                    BenchSockets.say([Double(held.count)])
                case ("returned", 4):
                    try await talk(
                        [BenchSocketPart](repeating: .echo, count: numbers[2]), crowd, port: numbers[1],
                        seconds: numbers[3])
                case ("relayed", 4):
                    let lines = try String(contentsOfFile: words[3], encoding: .utf8).split(separator: "\n").map {
                        $0.split(separator: " ").map(String.init)
                    }
                    let pairs = lines.filter { $0.count == 3 }.flatMap {
                        [BenchSocketPart.page(cookie: $0[0], request: $0[2]), .wallet(cookie: $0[1], request: $0[2])]
                    }
                    try await talk(pairs, crowd, port: numbers[1], seconds: numbers[2])
                default: BenchSockets.write("no such command: \(line)")
                }
            } catch {
                BenchSockets.write("\(line) failed: \(error)")
            }
        }
    }

    /// Messages, milliseconds, sockets that ended unasked, and messages with those of the warm-up.
    private func talk(_ parts: [BenchSocketPart], _ crowd: BenchSocketCrowd, port: Int, seconds: Int) async throws {
        let channels = await crowd.open(parts, port: port)
        guard channels.count == parts.count else {
            await crowd.close(channels)
            return BenchSockets.write(
                "\(channels.count) of \(parts.count) sockets were opened: \(crowd.score.refusal.with { $0 })")
        }
        let found = try await crowd.talk(channels, for: seconds)
        await crowd.close(channels)
        BenchSockets.say(found)
    }

    private static func say(_ numbers: [Double]) { write((["ok"] + numbers.map { "\($0)" }).joined(separator: " ")) }

    private static func write(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line.replacing("\n", with: " ") + "\n").utf8))
    }
}

/// A listener that writes back whatever it reads, and nothing else: what no server that looks at its messages can pass.
enum BenchEcho {
    static func listen() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.write(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
        }
        func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    }
}
