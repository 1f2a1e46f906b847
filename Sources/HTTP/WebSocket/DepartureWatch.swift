import NIOCore
import NIOHTTP1

/// Tells a request that waits when its sender has gone: closed the connection, or its half of it. Hummingbird can tell
/// that too, and then closes the connection after the answer; this one leaves it for the next request.
public final class DepartureWatch: ChannelInboundHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPServerRequestPart

    private var hasGone = false
    private var told: (@Sendable () -> Void)?

    static func stand(in channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations,
            decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(
            DepartureWatch(), position: ChannelPipeline.SynchronousOperations.Position.after(decoder))
    }

    /// What `body` gives; its task is cancelled when the sender of the request on `channel` goes.
    public static func run<Value: Sendable>(
        on channel: any Channel, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let task = Task { await body() }
        channel.eventLoop.execute { tell(channel) { task.cancel() } }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        channel.eventLoop.execute { tell(channel, nil) }
        return value
    }

    private static func tell(_ channel: any Channel, _ told: (@Sendable () -> Void)?) {
        guard let watch = try? channel.pipeline.syncOperations.handler(type: DepartureWatch.self), !watch.hasGone else {
            told?()
            return
        }
        watch.told = told
    }

    private func gone() {
        hasGone = true
        told?()
        told = nil
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { gone() }
        context.fireUserInboundEventTriggered(event)
    }

    public func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }
}
