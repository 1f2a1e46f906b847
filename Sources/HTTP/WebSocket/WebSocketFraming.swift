import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Frames of one WebSocket to messages and back (RFC 6455, 5 to 7), on the connection's event loop. No extension is
/// agreed on, so none of their bits may stand.
///
/// Nothing waits here but the message that is coming and one pong: who reads no messages is read no further (`read` of
/// the connection's own handlers), and who reads no pongs gets the last one when it does (5.5.3).
final class WebSocketFraming: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private enum Stage {
        case open
        /// Our close has gone out; the other side's is to come.
        case closing
        case closed
    }

    /// Until a connection is closed whose other side does not answer our close, or does not read it.
    private static let patience = TimeAmount.seconds(3)

    private let limit: Int
    /// Where messages go, and an end when no more come.
    private var deliver: ((HTTPServerRequestPart) -> Void)?
    private var context: ChannelHandlerContext?
    private var stage = Stage.open
    private var coming: (kind: WebSocketMessage.Kind, bytes: ByteBuffer)?
    private var owedPong: ByteBuffer?
    private var timer: Scheduled<Void>?

    init(limit: Int, deliver: @escaping (HTTPServerRequestPart) -> Void) {
        (self.limit, self.deliver) = (limit, deliver)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        (self.context, deliver, timer, stage) = (nil, nil, nil, .closed)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard stage != .closed else { return }
        // 5.1 and 5.2: clients mask; a bit of an extension has no meaning here.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return close(.protocolError) }
        if frame.opcode == .connectionClose { return peerCloses(context, frame.unmaskedData) }
        guard stage == .open else { return }
        switch frame.opcode {
        case .text: begin(.text, frame)
        case .binary: begin(.binary, frame)
        case .continuation: goOn(frame)
        case .ping: pong(context, frame.unmaskedData)
        case .pong: break
        default: close(.protocolError)
        }
    }

    private func begin(_ kind: WebSocketMessage.Kind, _ frame: WebSocketFrame) {
        guard coming == nil else { return close(.protocolError) }
        coming = (kind, frame.unmaskedData)
        if frame.fin { complete() }
    }

    private func goOn(_ frame: WebSocketFrame) {
        guard var message = coming else { return close(.protocolError) }
        coming = nil
        guard message.bytes.readableBytes + frame.length <= limit else { return close(.messageTooLarge) }
        var more = frame.unmaskedData
        message.bytes.writeBuffer(&more)
        coming = message
        if frame.fin { complete() }
    }

    private func complete() {
        guard let message = coming else { return }
        coming = nil
        // 8.1. Of both kinds the bytes are the same from here on.
        if message.kind == .text, String(validating: message.bytes.readableBytesView, as: UTF8.self) == nil {
            return close(.dataInconsistentWithMessage)
        }
        deliver?(.body(WebSocketMessage.part(message.kind, message.bytes)))
    }

    private func pong(_ context: ChannelHandlerContext, _ data: ByteBuffer) {
        guard context.channel.isWritable else {
            owedPong = data
            return
        }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: data)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if let data = owedPong, stage == .open, context.channel.isWritable {
            owedPong = nil
            pong(context, data)
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Writing

    /// Without a flush.
    func send(_ message: WebSocketMessage, promise: EventLoopPromise<Void>?) {
        guard stage == .open, let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let frame: WebSocketFrame =
            switch message {
            case .text(let text):
                WebSocketFrame(fin: true, opcode: .text, data: context.channel.allocator.buffer(string: text))
            case .binary(let bytes):
                WebSocketFrame(fin: true, opcode: .binary, data: context.channel.allocator.buffer(bytes: bytes))
            }
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    func flush() { context?.flush() }

    /// For the last of several messages: `done` is called when they are on their way, or never will be.
    func promise(_ done: @escaping @Sendable () -> Void) -> EventLoopPromise<Void>? {
        guard let context else {
            done()
            return nil
        }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in done() }
        return promise
    }

    // MARK: Closing

    /// Says so and waits for the same from the other side (7.1.2), for `patience`.
    func close(_ code: WebSocketErrorCode) {
        guard stage == .open, let context else { return }
        stage = .closing
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)), promise: nil)
        over(context)
    }

    /// The route is done.
    func finish() { close(.normalClosure) }

    private func peerCloses(_ context: ChannelHandlerContext, _ data: ByteBuffer) {
        guard stage == .open else {
            stage = .closed
            return context.close(promise: nil)
        }
        stage = .closed
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: answer(context, to: data))),
            promise: written)
        over(context)
    }

    /// 5.5.1 and 7.4: the code comes back; one that may not stand in a frame is an error of the protocol.
    private func answer(_ context: ChannelHandlerContext, to data: ByteBuffer) -> ByteBuffer {
        var data = data, answer = context.channel.allocator.buffer(capacity: 2)
        guard data.readableBytes > 0 else { return answer }
        let code: UInt16 = data.readInteger() ?? 0
        let stands = (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
        answer.writeInteger(stands && String(validating: data.readableBytesView, as: UTF8.self) != nil ? code : 1002)
        return answer
    }

    /// No more messages in either direction.
    private func over(_ context: ChannelHandlerContext) {
        (coming, owedPong) = (nil, nil)
        deliver?(.end(nil))
        deliver = nil
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: WebSocketFraming.patience) {
            context.close(promise: nil)
        }
    }

    // MARK: Events

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(.goingAway)
        case ChannelEvent.inputClosed:
            // Half a WebSocket is none.
            context.fireUserInboundEventTriggered(event)
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(.messageTooLarge)
        case is NIOWebSocketError: close(.protocolError)
        // What comes behind a frame that could not be read.
        case is ByteToMessageDecoderError where stage != .open: break
        default: context.fireErrorCaught(error)
        }
    }
}
