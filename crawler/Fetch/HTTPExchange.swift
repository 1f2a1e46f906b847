import Base
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// One request in HTTP/1.1 (RFC 9112) to an address that was checked, on a connection of its own that ends with the
/// answer: nothing behind it is looked at, so no answer can be taken for that of another request.
///
/// Names are not looked up here, and redirects are answers like others. Why this is no async-http-client: Doc.swift,
/// 2026-11-25.
struct HTTPExchange: Sendable {
    struct Limits: Sendable {
        /// To connect, and again to agree on TLS.
        let connectTime: Duration
        let headerBytes: Int
        /// Of a body as it is sent, and as it is decoded from gzip or deflate.
        let bodyBytes: Int
    }

    /// The body is decoded from its content coding; empty where it was not wanted.
    struct Reply: Sendable {
        let head: HTTPResponseHead
        let body: [UInt8]

        var status: Int { Int(head.status.code) }
    }

    let url: WebURL
    /// Besides those of the connection and of the body.
    let headers: HTTPHeaders
    /// Is posted; `nil` is a GET.
    var body: ByteBuffer?
    /// In place of GET and POST.
    var method: HTTPMethod?
    let limits: Limits
    /// Whether the body of an answer is read; what it throws ends the exchange. Called on an event loop.
    let wantsBody: @Sendable (HTTPResponseHead) throws -> Bool
    /// `nil` is ``WebTLS``.
    var tls: NIOSSLContext?

    /// Asks the first of `addresses` that takes the connection. Silence of one costs half of the time that is left, at
    /// most, where there is another.
    /// - Throws: ``CrawlFailure``, `CancellationError`, and the network's errors, of which `FetchTrouble` knows.
    nonisolated(nonsending) func run(
        at addresses: some Collection<IPAddress>, until deadline: ExchangeDeadline
    ) async throws -> Reply {
        var last: any Error = CrawlFailure(.dns, "no address"), others = addresses.count
        for address in addresses {
            others -= 1
            let time = others > 0 ? min(limits.connectTime, deadline.left / 2) : limits.connectTime
            do {
                return try await run(at: address, connectingFor: time, until: deadline)
            } catch let error as NotConnected {
                last = error
            }
        }
        throw last
    }

    nonisolated(nonsending) private func run(
        at address: IPAddress, connectingFor time: Duration, until deadline: ExchangeDeadline
    ) async throws -> Reply {
        try Task.checkCancellation()
        let target = try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: url.effectivePort)
        let request = try request(), tls = url.isSecure ? try tls ?? WebTLS.context() : nil
        // A crawl runs on an event loop; then its connections live there too, and no thread wakes another.
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
        let reply = loop.makePromise(of: Reply.self)
        return try await withTaskCancellationHandler {
            ClientBootstrap(group: loop).connectTimeout(TimeAmount(time))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = ExchangeHandler(self, request, until: deadline, reply)
                        try fill(channel.pipeline.syncOperations, tls, handler)
                    }
                }
                .connect(to: target)
                .whenFailure { error in
                    switch error {
                    case is IOError, ChannelError.connectTimeout: reply.fail(NotConnected(cause: error))
                    default: reply.fail(error)
                    }
                }
            return try await withCheckedThrowingContinuation { continuation in
                reply.futureResult.whenComplete { continuation.resume(with: $0) }
            }
        } onCancel: {
            reply.fail(CancellationError())
        }
    }

    /// From the socket inwards.
    private func fill(
        _ pipeline: ChannelPipeline.SynchronousOperations, _ tls: NIOSSLContext?, _ handler: ExchangeHandler
    ) throws {
        // Room for chunk sizes and TLS records besides headers and body.
        try pipeline.addHandler(SentBytes(limit: limits.bodyBytes + limits.headerBytes + limits.bodyBytes / 4))
        if let tls {
            // Without a name the certificate must be for the address.
            let name: String? = if case .name(let name) = url.host { name } else { nil }
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
        }
        try pipeline.addHandler(HTTPRequestEncoder())
        var heads = NIOHTTPDecoderLimitConfiguration()
        (heads.maxHeaderFieldSize, heads.maxHeaderListSize) = (limits.headerBytes, limits.headerBytes)
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPResponseDecoder(
                    leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop,
                    limitConfiguration: heads)))
        try pipeline.addHandler(NIOHTTPResponseDecompressor(limit: .size(limits.bodyBytes)))
        try pipeline.addHandler(handler)
    }

    private func request() throws(CrawlFailure) -> HTTPRequestHead {
        // RFC 9112, 9.3: a client that keeps no connections says so.
        var all: HTTPHeaders = ["Host": url.hostAndPort, "Connection": "close"]
        if let body { all.add(name: "Content-Length", value: String(body.readableBytes)) }
        for (name, value) in headers where !HTTPExchange.framing.contains(name.lowercased()) {
            all.add(name: name, value: value)
        }
        guard all.allSatisfy({ HTTPExchange.isToken($0.name) && HTTPExchange.isOneLine($0.value) }) else {
            throw CrawlFailure(.unreachable, "a header that cannot be sent")
        }
        // A `WebURL` has visible ASCII only.
        return HTTPRequestHead(
            version: .http1_1, method: method ?? (body == nil ? .GET : .POST),
            uri: url.path + (url.query.map { "?" + $0 } ?? ""), headers: all)
    }

    /// Nobody else says these: they tell where a request ends, and whom it is for.
    private static let framing: Set = ["host", "connection", "content-length", "transfer-encoding"]

    /// RFC 9110, 5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// RFC 9110, 5.5: no control character but the tab, so that nothing ends the line.
    private static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

/// When all of a request must be over: the look-up of the name, each connection that is tried, and the answer.
struct ExchangeDeadline: Sendable {
    private let limit: Duration
    let end: NIODeadline

    init(in limit: Duration) { (self.limit, end) = (limit, .now() + TimeAmount(limit)) }

    var left: Duration { .nanoseconds((end - .now()).nanoseconds) }
    var passed: CrawlFailure { CrawlFailure(.timeout, "no whole answer within \(limit)") }
}

/// Nobody took the connection, so nothing was asked yet, and another address of the name may be tried.
struct NotConnected: Error {
    let cause: any Error
}
