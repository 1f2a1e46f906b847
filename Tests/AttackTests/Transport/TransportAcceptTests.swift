import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import HTTP

/// What a listener does where the process has no descriptor left, told by the error that accept(2) gives then.
@Suite("Attacks by many connections (group 58)")
struct TransportAcceptTests {
    /// A listening channel that pauses for `length`, and the connections that it has accepted.
    private func with(
        _ length: TimeAmount, _ log: CapturedLog, _ body: (any Channel, AsyncStream<Void>) async throws -> Void
    ) async throws {
        let (accepted, told) = AsyncStream<Void>.makeStream()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).serverChannelInitializer {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AcceptPause(length, logger: log.logger))
            }
        }.childChannelInitializer { channel in
            told.yield()
            return channel.eventLoop.makeSucceededVoidFuture()
        }.bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do { result = .success(try await body(channel, accepted)) } catch { result = .failure(error) }
        try? await channel.close()
        try result.get()
    }

    private func fail(_ channel: any Channel, _ code: CInt) async throws {
        try await channel.eventLoop.submit {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
        }.get()
    }

    private func isAsking(_ channel: any Channel) async throws -> Bool { try await channel.getOption(.autoRead).get() }

    @Test(
        "group 58: without a descriptor nothing is accepted for a while, then who waited is",
        arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func pauses(_ code: CInt) async throws {
        try await with(.seconds(2), CapturedLog()) { channel, accepted in
            let began = ContinuousClock.now, port = try #require(channel.localAddress?.port)
            try await fail(channel, code)
            #expect(try await isAsking(channel) == false, "or the loop is woken again and again")

            try await RawConnection.open(port) { _ in
                for await _ in accepted { break }
            }

            #expect(ContinuousClock.now - began > .seconds(1.9))
            #expect(try await isAsking(channel))
        }
    }

    @Test("group 58: it is said in the log, once, with the limit and what to do")
    func told() async throws {
        let log = CapturedLog()
        try await with(.milliseconds(1), log) { channel, _ in
            for _ in 0..<5 {
                try await fail(channel, EMFILE)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let lines = log.all.filter { $0.contains("connections wait") }
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix("error") == true && lines.first?.contains("LimitNOFILE") == true
                && lines.first?.contains("\"limit\"") == true)
    }

    @Test("what is no shortage is left to others")
    func others() async throws {
        try await with(.seconds(60), CapturedLog()) { channel, _ in
            try await fail(channel, ECONNABORTED)
            #expect(try await isAsking(channel))
        }
    }
}
