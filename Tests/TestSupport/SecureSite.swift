import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A web site on 127.0.0.1 behind TLS: shows one certificate, gives everybody one answer, and ends as it is told.
public final class SecureSite: Sendable {
    public enum Ending: Sendable {
        /// By the words of TLS, then the connection.
        case clean
        /// The connection only, as whoever is on the way can do.
        case cutOff
        /// Says nothing and hears nothing any more.
        case deaf
    }

    private final class Log: Sendable {
        let asked = Mutex(0), open = Mutex(0), names = Mutex<[String?]>([])
    }

    private let log: Log
    private let listener: any Channel

    public var port: Int { listener.localAddress?.port ?? 0 }
    public var requests: Int { log.asked.withLock { $0 } }
    public var connections: Int { log.open.withLock { $0 } }
    /// Whom each client wanted (RFC 6066, 3).
    public var names: [String?] { log.names.withLock { $0 } }

    public convenience init(
        _ certificate: TestCertificate, _ answer: String, _ ending: Ending = .clean, newest: TLSVersion? = nil
    ) async throws {
        try await self.init(certificate, ending, newest: newest) { _ in answer }
    }

    /// - Parameter answer: gets the site's port.
    public init(
        _ certificate: TestCertificate, _ ending: Ending = .clean, newest: TLSVersion? = nil,
        answer: @escaping @Sendable (Int) -> String
    ) async throws {
        let log = Log()
        self.log = log
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate.der, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem)))
        (tls.minimumTLSVersion, tls.maximumTLSVersion) = (.tlsv1, newest)
        tls.sslContextCallback = { hello, promise in
            log.names.withLock { $0.append(hello.serverHostname) }
            promise.succeed(.noChanges)
        }
        let context = try NIOSSLContext(configuration: tls)
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                log.open.withLock { $0 += 1 }
                channel.closeFuture.whenComplete { _ in log.open.withLock { $0 -= 1 } }
                return channel.eventLoop.makeCompletedFuture {
                    let ear = Ear(), pipeline = channel.pipeline.syncOperations
                    let text = answer(channel.localAddress?.port ?? 0)
                    try pipeline.addHandlers(
                        ear, NIOSSLServerHandler(context: context),
                        Answerer(text, ending, ear) { log.asked.withLock { $0 += 1 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public func stop() async throws { try await listener.close() }
}

/// Before TLS, so that not even its end is heard.
private final class Ear: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    var isDeaf = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { if !isDeaf { context.fireChannelRead(data) } }
}

private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String
    private let ending: SecureSite.Ending
    private let ear: Ear
    private let isAsked: () -> Void

    init(_ answer: String, _ ending: SecureSite.Ending, _ ear: Ear, isAsked: @escaping () -> Void) {
        (self.answer, self.ending, self.ear, self.isAsked) = (answer, ending, ear, isAsked)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isAsked()
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: sent)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            switch self.ending {
            case .clean: context.close(promise: nil)
            case .cutOff:
                try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
            case .deaf: self.ear.isDeaf = true
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
