import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// One bound address, and what answers there.
public struct Listener: Sendable {
    public enum Answering: Sendable {
        case table(RouteTable)
        /// One document at one path: the metrics page, and the bare answer that the bench compares with.
        case document(path: String, type: String, text: @Sendable () -> String)
    }

    let address: String
    let port: Int
    let answering: Answering
    let security: TransportSecurity?
    let headLimit: TimeAmount
    let bound: @Sendable (_ port: Int) async -> Void
    let logger: Logger

    /// `bound` is called once with the port, which was chosen by the system where `port` is 0. Without `security` it is plain HTTP. `headLimit` is for the head
    /// of a request, from its first byte.
    public init(address: String, port: Int, answering: Answering, security: TransportSecurity? = nil, headLimit: TimeAmount = .seconds(20), logger: Logger,
                bound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }) {
        (self.address, self.port, self.answering, self.security) = (address, port, answering, security)
        (self.headLimit, self.logger, self.bound) = (headLimit, logger, bound)
    }

    /// Until graceful shutdown: no new connection then, and what is in flight is answered.
    ///
    /// Headers end at 32 KiB and after `headLimit`, a silent connection after 75 seconds.
    public func run() async throws {
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        let bound = self.bound, security = self.security, headLimit = self.headLimit
        let http = HTTP1Channel.Configuration(idleTimeout: .seconds(75), httpDecoderConfiguration: decoder)
        let server = HTTPServerBuilder { responder in
            ListenerChannel(security: security, headLimit: headLimit, base: HTTP1Channel(responder: responder, configuration: http))
        }
        let answering = router.buildResponder()
        let responder = CallbackResponder<RoutedContext> { request, context in
            guard WebSocketAnswer.isAsked(request) else { return try await answering.respond(to: request, context: context) }
            return try await WebSocketAnswer.apart { try await answering.respond(to: request, context: context) }
        }
        let application = Application(
            responder: responder, server: server,
            configuration: .init(address: .hostname(address, port: port), serverName: "pando", backlog: 1024),
            onServerRunning: { channel in await bound(channel.localAddress?.port ?? 0) }, logger: logger
        )
        try await application.run()
    }

    private var router: Router<RoutedContext> {
        switch answering {
        case .table(let table): return table.router(security: security)
        case .document(let path, let type, let text):
            let router = Router(context: RoutedContext.self)
            router.get(RouterPath(path)) { _, _ in Answer.text(text(), type: type) }
            return router
        }
    }
}
