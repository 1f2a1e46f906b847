import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Makes a WebSocket an ordinary route (RFC 6455, 4.2): where a route answers a GET that asks for one with 101, the
/// connection speaks WebSocket from then on, and messages come as parts of the request's body (`WebSocketMessage`).
/// Whatever the connection has served before does not matter.
///
/// Stands behind the decoder of heads. The end of a request that asks is held back, so that its body goes on. At the
/// 101 `WebSocketFraming` takes over in front of the handlers of HTTP, within one turn of the loop: no byte can come
/// between. Those are out of the way of bytes then, and leave.
///
/// The decoder reads nothing behind a request that asks for another protocol, so a connection whose request was
/// answered otherwise is closed, and says so.
final class WebSocketSwitch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Stage {
        case http
        /// The last request that the decoder reads has come. `isHeld`: its end has, and was not handed on.
        case asked(isWebSocket: Bool, isHeld: Bool)
        /// Closed after this answer.
        case leaving
        case open(WebSocketFraming)
    }

    /// Bytes of one message.
    private let limit: Int
    private var stage = Stage.http
    private var answersDue = 0
    private var isQuiescing = false

    init(limit: Int) { self.limit = limit }

    /// Once the decoder is there.
    static func stand(in channel: any Channel, limit: Int) throws {
        let pipeline = channel.pipeline.syncOperations,
            decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(
            WebSocketSwitch(limit: limit), position: ChannelPipeline.SynchronousOperations.Position.after(decoder))
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), stage) {
        case (.head(let head), _):
            answersDue += 1
            if WebSocketSwitch.endsReading(head) {
                stage = .asked(isWebSocket: WebSocketSwitch.asks(head), isHeld: false)
            }
            context.fireChannelRead(data)
        case (.end, .asked(isWebSocket: true, isHeld: false)):
            stage = .asked(isWebSocket: true, isHeld: true)
        default:
            context.fireChannelRead(data)
        }
    }

    /// As the decoder decides it.
    private static func endsReading(_ head: HTTPRequestHead) -> Bool {
        head.method == .CONNECT
            || (head.headers.contains(name: "upgrade") && names(head.headers, "connection").contains("upgrade"))
    }

    private static func asks(_ head: HTTPRequestHead) -> Bool {
        head.method == .GET && head.version.minor >= 1 && names(head.headers, "upgrade").contains("websocket")
            && !head.headers.contains(name: "transfer-encoding")
            && head.headers[canonicalForm: "content-length"].allSatisfy { $0 == "0" }
    }

    private static func names(_ headers: HTTPHeaders, _ name: String) -> [String] {
        headers[canonicalForm: name].map { $0.lowercased() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isQuiescing = true }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (unwrapOutboundIn(data), stage) {
        case (.end, .open(let framing)):
            framing.finish()
            promise?.succeed(())
        case (_, .open):
            // Messages go out by `WebSocketOutlet`.
            promise?.succeed(())
        case (.head(let head), .asked(_, let isHeld)) where answersDue == 1:
            answer(context, head, isHeld: isHeld, promise)
        case (.end, .leaving) where answersDue == 1:
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(data, promise: written)
        case (.end, _):
            answersDue -= 1
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    /// The answer to the last request, from its head on.
    private func answer(
        _ context: ChannelHandlerContext, _ head: HTTPResponseHead, isHeld: Bool, _ promise: EventLoopPromise<Void>?
    ) {
        if head.status == .switchingProtocols, isHeld { return open(context, head, promise) }
        // `100 Continue` is not yet the answer.
        guard head.status.code >= 200 else { return context.write(wrapOutboundOut(.head(head)), promise: promise) }
        stage = .leaving
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        guard isHeld else { return }
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }

    private func open(_ context: ChannelHandlerContext, _ head: HTTPResponseHead, _ promise: EventLoopPromise<Void>?) {
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
        let framing = WebSocketFraming(limit: limit) { [weak self] part in
            guard let self else { return }
            context.fireChannelRead(wrapInboundOut(part))
            if case .end = part { context.fireChannelReadComplete() }
        }
        stage = .open(framing)
        do {
            try takeOver(context.channel.pipeline.syncOperations, framing)
        } catch {
            return context.close(promise: nil)
        }
        if isQuiescing { framing.close(.goingAway) }
    }

    private func takeOver(_ pipeline: ChannelPipeline.SynchronousOperations, _ framing: WebSocketFraming) throws {
        let encoder = try pipeline.handler(type: HTTPResponseEncoder.self),
            decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let handlers: [any ChannelHandler] = [
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)), WebSocketFrameEncoder(), framing,
        ]
        try pipeline.addHandlers(handlers, position: ChannelPipeline.SynchronousOperations.Position.before(encoder))
        pipeline.removeHandler(decoder, promise: nil)
        pipeline.removeHandler(encoder, promise: nil)
        RequestDeadline.leave(pipeline)
        if let departures = try? pipeline.handler(type: DepartureWatch.self) {
            pipeline.removeHandler(departures, promise: nil)
        }
        // It ends what is silent for long. The peer of a WebSocket may be: whoever has it pings.
        if let idle = try? pipeline.handler(type: HTTPConnectionStateHandler.self) {
            pipeline.removeHandler(idle, promise: nil)
        }
    }

    /// What framing told may hold this handler's context, which is over now.
    func handlerRemoved(context: ChannelHandlerContext) { stage = .http }
}
