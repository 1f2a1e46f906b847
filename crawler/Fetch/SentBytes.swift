import NIOCore

/// Counts what arrives on a connection, before TLS and before any content coding, and breaks it off above the limit.
///
/// Behind them only a decoded body is seen, so a coding that swallows endless input would go unseen. A connection is
/// used for one request, so its bytes are the answer's bytes.
final class SentBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct TooMany: Error {}

    private let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        guard count <= limit else {
            context.fireErrorCaught(TooMany())
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
