import NIOCore
import NIOHTTP1

/// Ends a connection where a request takes too long to come: many that trickle would hold descriptors for a long time,
/// at next to no cost. Hummingbird knows one limit for this and for the quiet between two requests, which is long since
/// proxies keep connections.
///
/// * A head, its first line and its headers: the time runs from the first piece that holds nothing but a part of it.
///   Then the connection closes.
/// * A body: from the head on. Who reads it gets `BodyTooSlow`, and answers 408; then the connection closes. Where the
///   answer has gone out before, it closes at once.
///
/// The time stands still while an earlier answer is under way, for then it may be us who do not read on.
/// `RequestDeadline` stands before the decoder and sees bytes; `RequestWatch` behind it sees what they come to. Both
/// live on the connection's event loop.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The body of a request did not come in time.
    struct BodyTooSlow: Error {}

    /// Without a request, in quiet before the first one or between two: how long Hummingbird lets a connection be.
    static let silence = TimeAmount.seconds(75)

    private let head: TimeAmount
    private let body: TimeAmount
    private let closures: ConnectionClosures?
    /// When the connection began, until its first head.
    private var since: NIODeadline?
    private var isCounted = false
    private var timer: Scheduled<Void>?
    private var isMoving = false, isOver = false
    fileprivate private(set) var isInBody = false
    fileprivate private(set) var answersDue = 0

    /// - Parameters:
    ///   - head: for the head of a request, from its first byte.
    ///   - body: for its body, from the end of the head.
    ///   - closures: counts what ends before a request is whole.
    init(head: TimeAmount, body: TimeAmount, closures: ConnectionClosures? = nil) {
        (self.head, self.body, self.closures) = (head, body, closures)
    }

    /// Once the decoder is there.
    static func watch(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let watch = RequestWatch(try pipeline.handler(type: RequestDeadline.self))
        try pipeline.addHandler(watch, position: ChannelPipeline.SynchronousOperations.Position.after(decoder))
    }

    /// For a connection that speaks another protocol from now on.
    static func leave(_ pipeline: ChannelPipeline.SynchronousOperations) {
        if let watch = try? pipeline.handler(type: RequestWatch.self) { pipeline.removeHandler(watch, promise: nil) }
        if let deadline = try? pipeline.handler(type: RequestDeadline.self) {
            pipeline.removeHandler(deadline, promise: nil)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { since = context.eventLoop.now }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isMoving = false
        context.fireChannelRead(data)
        // Most requests come in one piece and need no timer.
        guard timer == nil, !isOver, context.channel.isActive else { return }
        if isInBody { awaitBody(context) } else if !isMoving { awaitHead(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func awaitHead(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: head) { [weak self] in
            guard let self else { return }
            timer = nil
            guard answersDue <= 0 else { return awaitHead(context) }
            count(.slowHead)
            context.close(promise: nil)
        }
    }

    private func awaitBody(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: body) { [weak self] in
            guard let self else { return }
            timer = nil
            switch answersDue {
            case ...0:
                count(.slowBody)
                context.close(promise: nil)
            case 1:
                isOver = true
                count(.slowBody)
                context.fireErrorCaught(BodyTooSlow())
            default: awaitBody(context)
            }
        }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    fileprivate func headCame() {
        stop()
        (since, isMoving, isInBody, answersDue) = (nil, true, true, answersDue + 1)
    }

    fileprivate func bodyEnded() {
        stop()
        (isMoving, isInBody) = (true, false)
    }

    fileprivate func answered() { answersDue -= 1 }

    /// No head has come, for as long as a connection may be silent.
    fileprivate func isSilent(at now: NIODeadline) -> Bool {
        guard let since else { return false }
        return now - since >= RequestDeadline.silence
    }

    /// Once: a connection has one end.
    fileprivate func count(_ reason: ConnectionClosures.Reason) {
        if !isCounted { closures?.note(reason) }
        isCounted = true
    }

    /// What follows is no request.
    fileprivate func end() {
        stop()
        isOver = true
    }
}

/// Tells the deadline where requests and answers begin and end, and closes a connection behind an answer that says so.
///
/// * RFC 6585, 5: a head that is too large is 431. Hummingbird answers 400 to all that its decoder refuses.
/// * RFC 9110, 15.5.9 and 15.5.14: behind 408 and 413 the rest of the body is of no use, and its sender may never end
///   it.
/// * RFC 9112, 9.6: after `Connection: close`, whoever says it, in letters of whichever case, nothing is read as a
///   request any more, and the connection closes in two steps, so that the answer is not lost.
private final class RequestWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Between the end of the answer and that of the connection.
    private static let farewell = TimeAmount.seconds(1)

    private let deadline: RequestDeadline
    private var isTooLarge = false
    /// The client has said that this is its last request.
    private var isLast = false
    /// Something came behind that.
    private var isDeaf = false
    private var closes = false

    init(_ deadline: RequestDeadline) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !closes, !isDeaf else { return }
        switch unwrapInboundIn(data) {
        case .head where isLast:
            isDeaf = true
            return
        case .head(let head):
            // Hummingbird knows the word in small letters alone, and nothing of HTTP/1.0.
            isLast = !head.isKeepAlive
            deadline.headCame()
        case .body: break
        case .end: deadline.bodyEnded()
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { note(error) }
        context.fireErrorCaught(error)
    }

    private func note(_ error: HTTPParserError) {
        switch error {
        // The client has left, or sent more behind its last request.
        case .invalidEOFState, .closedConnection: return
        case .headerOverflow: isTooLarge = true
        default: break
        }
        deadline.count(isTooLarge ? .largeHead : .malformed)
    }

    /// Hummingbird closes what was silent for too long by this.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all, deadline.isSilent(at: context.eventLoop.now) { deadline.count(.silent) }
        context.close(mode: mode, promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .switchingProtocols:
            deadline.end()
            context.write(data, promise: promise)
        // `100 Continue` is not yet the answer.
        case .head(let head) where head.status.code >= 200:
            context.write(wrapOutboundOut(.head(answer(head))), promise: promise)
        case .end where closes:
            deadline.answered()
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: RequestWatch.farewell) { context.close(promise: nil) }
        case .end:
            deadline.answered()
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    private func answer(_ given: HTTPResponseHead) -> HTTPResponseHead {
        var head = given
        // The answer to no request is the decoder's.
        if isTooLarge, deadline.answersDue == 0 { head.status = .requestHeaderFieldsTooLarge }
        let isUnread = deadline.isInBody && [.requestTimeout, .payloadTooLarge].contains(head.status)
        if isUnread || isLast && deadline.answersDue == 1 {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        if isUnread, head.status == .payloadTooLarge { deadline.count(.largeBody) }
        closes = head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
        if closes { deadline.end() }
        return head
    }
}
