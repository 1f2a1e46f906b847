import Foundation
import Logging
import NIOCore

/// Stops asking the kernel for connections where there is no descriptor left for one, says so in the log, and asks
/// again a moment later.
///
/// SwiftNIO has a handler for that (`AcceptBackoffHandler`), but it holds back only the next read: the one that failed
/// stays wanted, so the loop is woken for it at once and for ever, and a core spins without a word. This one stands
/// before it and takes the wish back until the pause is over. Those who wait for a connection stay in the backlog.
final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// accept(2): what passes when others close something.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    /// Of one log line and the next.
    private static let silence = TimeAmount.minutes(1)

    private let length: TimeAmount
    private let logger: Logger
    private var resumption: Scheduled<Void>?
    private var told: NIODeadline?

    init(_ length: TimeAmount = .milliseconds(500), logger: Logger) { (self.length, self.logger) = (length, logger) }

    /// On a listening channel, whose first handler it becomes.
    static func stand(in channel: any Channel, logger: Logger) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger), position: .first)
        }.get()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let trouble = error as? IOError, AcceptPause.shortages.contains(trouble.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        tell(context, trouble)
        guard resumption == nil else { return }
        // On the loop of the channel this takes effect before it returns.
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        resumption = context.eventLoop.assumeIsolated().scheduleTask(in: length) { [weak self] in
            self?.resumption = nil
            context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }

    /// None while it pauses: with its end comes one.
    func read(context: ChannelHandlerContext) {
        if resumption == nil { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        resumption?.cancel()
        resumption = nil
        context.fireChannelInactive()
    }

    private func tell(_ context: ChannelHandlerContext, _ trouble: IOError) {
        let now = NIODeadline.now()
        if let told, now - told < AcceptPause.silence { return }
        told = now
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        logger.error(
            """
            connections wait: no descriptor is left. \
            Raise LimitNOFILE (ulimit -n), or let the proxy bound connections
            """,
            metadata: [
                "port": "\(context.channel.localAddress?.port ?? 0)", "limit": "\(limit.rlim_cur)",
                "error": "\(trouble)",
            ])
    }
}
