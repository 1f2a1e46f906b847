import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// The end of an exchange's pipeline: sends the request, gathers the answer within its limits, and closes the
/// connection. Whatever happens first completes `reply`: the answer, an error, the deadline, or who cancels; the rest
/// follows from that.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let exchange: HTTPExchange
    private let request: HTTPRequestHead
    private let deadline: ExchangeDeadline
    private let reply: EventLoopPromise<HTTPExchange.Reply>
    /// The request is on its way, and may have been read.
    private var isAsked = false
    private var isOver = false
    /// Ends an exchange whose TLS is not agreed on in time.
    private var handshakeAlarm: Scheduled<Void>?
    /// Of an answer whose body is read.
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(
        _ exchange: HTTPExchange, _ request: HTTPRequestHead, until deadline: ExchangeDeadline,
        _ reply: EventLoopPromise<HTTPExchange.Reply>
    ) {
        (self.exchange, self.request, self.deadline, self.reply) = (exchange, request, deadline, reply)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let loop = context.eventLoop.assumeIsolated(), passed = deadline.passed, reply = reply
        let alarm = loop.scheduleTask(deadline: deadline.end) { reply.fail(passed) }
        reply.futureResult.assumeIsolated().whenComplete { _ in
            self.isOver = true
            alarm.cancel()
            self.handshakeAlarm?.cancel()
            context.close(promise: nil)
        }
    }

    /// TLS holds the request back until the certificate has been checked.
    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard !isOver else { return }
        if exchange.url.isSecure { awaitHandshake(context.eventLoop) } else { isAsked = true }
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        if let body = exchange.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func awaitHandshake(_ loop: any EventLoop) {
        handshakeAlarm = loop.assumeIsolated().scheduleTask(in: TimeAmount(exchange.limits.connectTime)) {
            self.reply.fail(CrawlFailure(.timeout, "TLS handshake not done in time"))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isAsked = true
            handshakeAlarm?.cancel()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        do {
            switch unwrapInboundIn(data) {
            case .head(let head): try begin(head)
            case .body(let bytes):
                body += bytes.readableBytesView
                guard body.count <= exchange.limits.bodyBytes else { throw tooLarge }
            case .end: if let head { reply.succeed(HTTPExchange.Reply(head: head, body: body)) }
            }
        } catch {
            reply.fail(error)
        }
    }

    private func begin(_ head: HTTPResponseHead) throws {
        let limits = exchange.limits, fields = head.headers
        guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= limits.headerBytes else {
            throw CrawlFailure(.tooLarge, "headers of more than \(limits.headerBytes) bytes")
        }
        guard try exchange.wantsBody(head) else {
            reply.succeed(HTTPExchange.Reply(head: head, body: []))
            return
        }
        if let length = fields.first(name: "Content-Length").flatMap({ Int($0) }), length > limits.bodyBytes {
            throw tooLarge
        }
        self.head = head
    }

    private var tooLarge: CrawlFailure {
        CrawlFailure(.tooLarge, "a body of more than \(exchange.limits.bodyBytes) bytes")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown where !endsWithConnection: break
        case let error as IOError where !isAsked: reply.fail(NotConnected(cause: error))
        case HTTPParserError.invalidEOFState: reply.fail(ExchangeHandler.closedEarly)
        default: reply.fail(error)
        }
    }

    /// Whether the answer is whole only when the other side says by TLS that it is; of any other the parser knows, or
    /// the end of the connection tells.
    private var endsWithConnection: Bool {
        guard let fields = head?.headers else { return false }
        // RFC 9112, 6.3: of codings only `chunked`, as the last one, has an end.
        if let last = fields[canonicalForm: "Transfer-Encoding"].last { return last.lowercased() != "chunked" }
        return !fields.contains(name: "Content-Length")
    }

    func channelInactive(context: ChannelHandlerContext) {
        reply.fail(ExchangeHandler.closedEarly)
        context.fireChannelInactive()
    }

    private static let closedEarly = CrawlFailure(.unreachable, "connection closed before the answer was whole")
}
