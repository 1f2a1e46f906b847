import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// One bound address, and what answers there.
public struct Listener: Sendable {
    public enum Answering: Sendable {
        case table(RouteTable)
        case metrics(MetricsPage)
        /// One document at one path: the bare answer that the bench compares with.
        case document(path: String, type: String, text: @Sendable () -> String)
    }

    let address: String
    let port: Int
    let answering: Answering
    let security: TransportSecurity?
    let drain: Drain?
    let headLimit: TimeAmount
    let bodyLimit: TimeAmount
    let connections: ConnectionLimit?
    let bound: @Sendable (_ port: Int) async -> Void
    let logger: Logger

    /// An address that cannot be listened at.
    public struct Unbound: Error, Sendable, CustomStringConvertible {
        /// What is wrong, with address and port.
        public let description: String
        /// Another process has the port.
        public let isTaken: Bool
    }

    /// `bound` is called once with the port, which was chosen by the system where `port` is 0. Without `security` it is
    /// plain HTTP. `headLimit` is for the head of a request, from its first byte; `bodyLimit` for its body, from the
    /// end of the head. Once `drain` has begun, each answer ends its connection. `connections` is shared by all
    /// listeners of a process.
    public init(
        address: String, port: Int, answering: Answering, security: TransportSecurity? = nil, drain: Drain? = nil,
        headLimit: TimeAmount = .seconds(20),
        bodyLimit: TimeAmount = .seconds(20), connections: ConnectionLimit? = nil, logger: Logger,
        bound: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        (self.address, self.port, self.answering, self.security) = (address, port, answering, security)
        (self.headLimit, self.bodyLimit, self.connections) = (headLimit, bodyLimit, connections)
        (self.logger, self.bound) = (logger, bound)
        self.drain = drain
    }

    /// Until graceful shutdown: no new connection then, and what is in flight is answered.
    ///
    /// Heads end at 32 KiB (431) and after `headLimit`, bodies after `bodyLimit` (408), a silent connection after 75
    /// seconds.
    /// - Throws: `Unbound`.
    public func run() async throws {
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        let bound = self.bound, logger = self.logger, security = self.security, headLimit = self.headLimit,
            bodyLimit = self.bodyLimit, connections = self.connections
        let http = HTTP1Channel.Configuration(
            idleTimeout: RequestDeadline.silence, httpDecoderConfiguration: decoder)
        let server = HTTPServerBuilder { responder in
            ListenerChannel(
                security: security, headLimit: headLimit, bodyLimit: bodyLimit, connections: connections,
                base: HTTP1Channel(responder: responder, configuration: http))
        }
        let answering = router.buildResponder(), drain = self.drain
        let responder = CallbackResponder<RoutedContext> { request, context in
            guard WebSocketAnswer.isAsked(request) else {
                let response = try await answering.respond(to: request, context: context)
                return drain?.told(response) ?? response
            }
            return try await WebSocketAnswer.apart { try await answering.respond(to: request, context: context) }
        }
        let application = Application(
            responder: responder, server: server,
            configuration: .init(address: .hostname(address, port: port), serverName: "pando", backlog: 1024),
            onServerRunning: { channel in
                do {
                    try await AcceptPause.stand(in: channel, logger: logger)
                } catch {
                    logger.error("a listener cannot pause where descriptors end", metadata: ["error": "\(error)"])
                }
                drain?.watch(channel)
                await bound(channel.localAddress?.port ?? 0)
            },
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw Unbound(description: trouble(error), isTaken: error.errnoCode == EADDRINUSE)
        } catch is SocketAddressError.UnknownHost {
            throw Unbound(description: "\(address) is no address, and no name that is known here", isTaken: false)
        }
    }

    private func trouble(_ error: IOError) -> String {
        let place = "\(address.contains(":") ? "[\(address)]" : address):\(port)"
        return switch error.errnoCode {
        case EADDRINUSE: "another process listens at \(place) already"
        case EADDRNOTAVAIL: "\(place) is no address of this machine"
        case EACCES: "this process may not listen at \(place): ports below 1024 need a privilege"
        default: "\(place) cannot be listened at: \(error)"
        }
    }

    private var router: Router<RoutedContext> {
        switch answering {
        case .table(let table): return table.router(security: security)
        case .metrics(let page):
            let router = Router(context: RoutedContext.self)
            router.get(RouterPath(MetricsPage.path)) { request, _ in await page.answer(request) }
            return router
        case .document(let path, let type, let text):
            let router = Router(context: RoutedContext.self)
            router.get(RouterPath(path)) { _, _ in Answer.text(text(), type: type) }
            return router
        }
    }
}
