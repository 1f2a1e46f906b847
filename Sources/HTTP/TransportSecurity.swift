import Base
import Foundation
import HummingbirdCore
import Keys
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// TLS of this process itself: 1.2 or newer (RFC 9325, 3.1.1), HTTP/1.1 above it, and client certificates where they
/// are asked for.
public struct TransportSecurity: Sendable {
    public struct Unacceptable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What handshakes go by.
    private struct Held: Sendable {
        /// `nil`: no client is asked for a certificate.
        let authorities: ClientAuthorities?
        let context: NIOSSLContext
        let certificateEnd: Date
    }

    /// Of all copies of this value.
    private final class Current: Sendable {
        let held: Mutex<Held>
        init(_ held: Held) { self.held = Mutex(held) }
    }

    private let current: Current
    private let clock: WallClock
    private let chains = TrustedChains()

    /// `certificates` is the chain, the server's own first, `key` its private key, both PEM.
    public init(certificates: String, key: String, authorities: ClientAuthorities?, clock: WallClock) throws {
        self.clock = clock
        let chain = try Self.reading("no certificate chain in PEM") {
            try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8))
        }
        guard let own = chain.first else { throw Unacceptable(description: "no certificate chain in PEM") }
        let privateKey = try Self.reading("no private key in PEM, or one with a passphrase") {
            try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if authorities != nil {
            configuration.certificateVerification = .optionalVerification
            // Who is trusted is decided in `verify`; an empty list of names lets clients offer self-signed certificates
            // too.
            configuration.trustRoots = .certificates([])
            configuration.sendCANameList = false
        }
        let final = configuration
        let context = try Self.reading("the private key is not the certificate's") {
            try NIOSSLContext(configuration: final)
        }
        current = Current(
            Held(
                authorities: authorities, context: context,
                certificateEnd: Date(timeIntervalSince1970: TimeInterval(own.notValidAfter))))
    }

    /// Of the server's own certificate, as new connections are shown it; those above it in the chain may end earlier.
    public var certificateEnd: Date { held.certificateEnd }

    /// What `other` was made of holds for the connections that come from now on, here and in all copies.
    public func adopt(_ other: TransportSecurity) {
        let held = other.held
        current.held.withLock { $0 = held }
    }

    private var held: Held { current.held.withLock { $0 } }

    private static func reading<Value>(_ trouble: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw Unacceptable(description: trouble) }
    }

    /// The handler that comes first on a connection.
    func handler() -> NIOSSLServerHandler {
        let held = self.held
        guard let authorities = held.authorities else { return NIOSSLServerHandler(context: held.context) }
        return NIOSSLServerHandler(
            context: held.context,
            customVerificationCallbackWithMetadata: { chain, promise in
                promise.completeWithTask { await verify(chain, authorities) }
            })
    }

    /// Every certificate is taken, since a self-signed one is a client's too (RFC 8705, 2.2). One that cannot be read
    /// ends the handshake.
    private func verify(
        _ chain: [NIOSSLCertificate], _ authorities: ClientAuthorities
    ) async -> NIOSSLVerificationResultWithMetadata {
        guard let ders = try? chain.map({ try $0.toDERBytes() }), let own = ders.first,
            (try? ClientCertificate(der: own, isTrusted: false)) != nil
        else { return .failed }
        let isTrusted = await authorities.trusts(ders, at: clock.now())
        if isTrusted { chains.remember(ders) }
        return .certificateVerified(VerificationMetadata(isTrusted ? ValidatedCertificateChain(chain) : nil))
    }

    /// The certificate that the other side of a connection showed in its handshake, or in an earlier one that this
    /// connection resumes.
    func certificate(_ channel: any Channel) async throws -> ClientCertificate? {
        guard let authorities = held.authorities else { return nil }
        let shown = try await channel.eventLoop.submit { () -> (der: [UInt8], isTrusted: Bool)? in
            guard let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self),
                let certificate = handler.peerCertificate
            else { return nil }
            return (try certificate.toDERBytes(), handler.peerValidatedCertificateChain != nil)
        }.get()
        guard let (der, isVerified) = shown else { return nil }
        // A resumed session (RFC 8446, 2.2) has the certificate, but nobody was asked about it.
        let isTrusted = if isVerified { true } else { await authorities.trusts(chains.recall(der), at: clock.now()) }
        return try ClientCertificate(der: der, isTrusted: isTrusted)
    }
}

/// HTTP/1.1, over TLS or without. Hummingbird's own channel for TLS cannot hand on what the check of a certificate
/// found, and none of its has a deadline for requests.
struct ListenerChannel: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let security: TransportSecurity?
    let headLimit: TimeAmount
    let bodyLimit: TimeAmount
    let connections: ConnectionLimit?
    let base: HTTP1Channel

    var responder: Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do { try connections?.admit(channel) } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.eventLoop.makeCompletedFuture {
            if let security { try channel.pipeline.syncOperations.addHandler(security.handler()) }
            let deadline = RequestDeadline(head: headLimit, body: bodyLimit, closures: connections?.closures)
            try channel.pipeline.syncOperations.addHandler(deadline)
        }
        .flatMap { base.setup(channel: channel, logger: logger) }
        .flatMapThrowing { value in
            try DepartureWatch.stand(in: channel)
            try WebSocketSwitch.stand(in: channel, limit: WebSocketAnswer.longest)
            try RequestDeadline.watch(channel)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// What came with certificates that were trusted: a resumed session brings its certificate back, and not the
/// authorities between.
private final class TrustedChains: Sendable {
    /// Then all are forgotten; a certificate directly below an authority needs no memory.
    private static let limit = 10_000

    private let chains = Mutex<[[UInt8]: [[UInt8]]]>([:])

    func remember(_ chain: [[UInt8]]) {
        guard chain.count > 1, let own = chain.first else { return }
        chains.withLock { chains in
            if chains.count >= TrustedChains.limit { chains = [:] }
            chains[Digest.sha256(own)] = chain
        }
    }

    func recall(_ own: [UInt8]) -> [[UInt8]] { chains.withLock { $0[Digest.sha256(own)] } ?? [own] }
}
