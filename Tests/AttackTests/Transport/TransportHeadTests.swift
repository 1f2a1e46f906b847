import NIOCore
import NIOEmbedded
import NIOHTTP1
import Server
import Testing

@testable import HTTP

/// The deadline by itself, with a clock of its own: when a connection is ended, and when it is not.
@Suite("Attacks by slow heads (group 58)")
struct TransportHeadTests {
    private static let head = "GET / HTTP/1.1\r\nHost: localhost\r\n"

    private let registry = PrometheusRegistry()

    /// The connections that were closed, as the page of metrics has them: reasons and numbers.
    private var counted: [String] {
        let start = #"pando_connections_closed_total{reason=""#
        return registry.page.split(separator: "\n").filter { $0.hasPrefix(start) && !$0.hasSuffix(" 0.0") }
            .map { String($0.dropFirst(start.count)) }
    }

    /// A connection whose heads have 20 seconds.
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            RequestDeadline(head: .seconds(20), body: .seconds(30), closures: ConnectionClosures(registry)))
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: .init())
        try RequestDeadline.watch(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    private func send(_ text: String, _ channel: EmbeddedChannel) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    private func answer(_ channel: EmbeddedChannel, _ status: HTTPResponseStatus = .noContent) throws {
        try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: status)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    private func wait(_ seconds: Int64, _ channel: EmbeddedChannel) {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    }

    @Test(
        "group 58: whoever sends a byte every second is ended at the limit, not before", arguments: ["first", "second"])
    func trickles(_ which: String) throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        if which == "second" {
            try send(Self.head + "\r\n", channel)
            try answer(channel)
            wait(60, channel)
        }

        try send(Self.head + "X-Long: ", channel)
        for _ in 1...19 {
            wait(1, channel)
            try send("a", channel)
        }
        #expect(channel.isActive && counted.isEmpty)
        wait(1, channel)

        #expect(!channel.isActive)
        #expect(counted == [#"slow_head"} 1.0"#])
    }

    @Test("group 58: a head and a body that are whole in time, and the quiet before and after, end nothing")
    func inTime() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        wait(60, channel)
        try send(Self.head, channel)
        wait(19, channel)
        try send("Content-Length: 2\r\n\r\na", channel)
        wait(29, channel)
        try send("b", channel)
        wait(60, channel)
        try answer(channel)
        wait(60, channel)

        #expect(channel.isActive)
        channel.close(promise: nil)
        #expect(counted.isEmpty, "its requests were whole")
    }

    @Test("group 58: while an answer is under way the next head may wait; once it is there, no longer than the limit")
    func behindAnAnswer() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try send(Self.head + "\r\n", channel)
        try send(Self.head, channel)
        wait(110, channel)
        #expect(channel.isActive)

        try answer(channel)
        wait(20, channel)

        #expect(!channel.isActive)
    }

    @Test(
        "group 58: a body that does not come in time, trickling or stopping, is an error to who reads it",
        arguments: [true, false])
    func slowBody(_ trickles: Bool) throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try send(Self.head + "Content-Length: 99\r\n\r\na", channel)
        for _ in 1...29 {
            wait(1, channel)
            if trickles { try send("a", channel) }
        }
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }

        wait(1, channel)

        #expect(throws: RequestDeadline.BodyTooSlow.self) { try channel.throwIfErrorCaught() }
        try answer(channel, .requestTimeout)
        wait(1, channel)
        #expect(!channel.isActive)
        #expect(counted == [#"slow_body"} 1.0"#])
    }

    @Test("group 58: whoever has its answer and goes on sending a body is ended at the limit")
    func bodyBehindAnAnswer() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try send(Self.head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", channel)
        try answer(channel, .unauthorized)
        for _ in 1...29 {
            wait(1, channel)
            try send("1\r\na\r\n", channel)
        }
        #expect(channel.isActive)

        wait(1, channel)

        #expect(!channel.isActive)
        #expect(counted == [#"slow_body"} 1.0"#])
    }

    @Test(
        "group 58: what is no HTTP and a head that is too large are counted when their connection ends, once",
        arguments: [
            ("NONSENSE\r\n\r\n", #"malformed"} 1.0"#),
            ("GET / HTTP/1.1\r\nX-Long: " + String(repeating: "a", count: 100_000), #"large_head"} 1.0"#),
        ])
    func unread(_ sent: String, _ told: String) throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }

        #expect(throws: HTTPParserError.self) { try send(sent, channel) }
        channel.close(promise: nil)

        #expect(counted == [told])
    }

    @Test("group 58: a body that is refused for its length while it is on its way is counted")
    func largeBody() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try send(Self.head + "Content-Length: 99999\r\n\r\na", channel)

        try answer(channel, .payloadTooLarge)
        wait(1, channel)

        #expect(!channel.isActive)
        #expect(counted == [#"large_body"} 1.0"#])
    }

    @Test("group 58: who is silent from the start is counted when that is over, whoever leaves by themselves never")
    func silent() throws {
        let leaving = try connection(), quiet = try connection()
        defer { _ = try? quiet.finish() }
        try send(Self.head, leaving)
        _ = try? leaving.finish()
        wait(74, quiet)
        #expect(counted.isEmpty)

        wait(1, quiet)
        // As HTTPConnectionStateHandler does.
        quiet.close(promise: nil)
        quiet.close(promise: nil)

        #expect(counted == [#"silent"} 1.0"#])
    }

    @Test("a connection that speaks another protocol after its head has no heads any more")
    func upgraded() throws {
        let channel = try connection()
        defer { _ = try? channel.finish() }
        try send(Self.head + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", channel)
        try answer(channel, .switchingProtocols)
        try send("frames", channel)
        wait(60, channel)

        #expect(channel.isActive)
    }
}
