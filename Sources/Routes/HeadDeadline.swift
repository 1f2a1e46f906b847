import NIOCore
import NIOHTTP1

/// Ends a connection where the head of a request, its first line and its headers, takes too long: many that trickle would hold descriptors for a long time,
/// at next to no cost. Hummingbird knows one limit for this and for the quiet between two requests, which is long since proxies keep connections.
///
/// The time runs from the first piece that holds nothing but a part of a head. It stands still while an answer is under way, for then it may be us who do not read on.
/// `HeadDeadline` stands before the decoder of heads and sees bytes; `HeadWatch` behind it sees what they come to. Both live on the connection's event loop.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?
    private var isInBody = false, isMoving = false, isOver = false
    private var answersDue = 0

    init(_ limit: TimeAmount) { self.limit = limit }

    /// Once the decoder is there.
    static func watch(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self), deadline = try pipeline.handler(type: HeadDeadline.self)
        try pipeline.addHandler(HeadWatch(deadline), position: ChannelPipeline.SynchronousOperations.Position.after(decoder))
    }

    /// For a connection that speaks another protocol from now on.
    static func leave(_ pipeline: ChannelPipeline.SynchronousOperations) {
        if let watch = try? pipeline.handler(type: HeadWatch.self) { pipeline.removeHandler(watch, promise: nil) }
        if let deadline = try? pipeline.handler(type: HeadDeadline.self) { pipeline.removeHandler(deadline, promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isMoving = false
        context.fireChannelRead(data)
        // Most heads come in one piece and need no timer.
        if timer == nil, !isMoving, !isInBody, !isOver, context.channel.isActive { start(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func start(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            guard let self else { return }
            timer = nil
            if answersDue > 0 { start(context) } else { context.close(promise: nil) }
        }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    fileprivate func headCame() {
        stop()
        (isMoving, isInBody, answersDue) = (true, true, answersDue + 1)
    }

    fileprivate func bodyEnded() { (isMoving, isInBody) = (true, false) }

    fileprivate func answered() { answersDue -= 1 }

    /// What follows is another protocol.
    fileprivate func upgraded() {
        stop()
        isOver = true
    }
}

/// Tells the deadline where requests and answers begin and end.
private final class HeadWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let deadline: HeadDeadline

    init(_ deadline: HeadDeadline) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadline.headCame()
        case .body: break
        case .end: deadline.bodyEnded()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .switchingProtocols: deadline.upgraded()
        case .head, .body: break
        case .end: deadline.answered()
        }
        context.write(data, promise: promise)
    }
}
