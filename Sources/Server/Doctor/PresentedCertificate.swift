import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// How long the certificate holds that a server shows to who comes by name, whoever signed it.
enum PresentedCertificate {
    static func expiry(host: String, port: Int, within patience: TimeAmount) async throws -> Date {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration), group = MultiThreadedEventLoopGroup.singleton
        let shown = group.next().makePromise(of: Date.self)
        // An address is no name for SNI (RFC 6066, 3).
        let name = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } ? nil : host
        let bootstrap = ClientBootstrap(group: group).connectTimeout(patience).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = try NIOSSLClientHandler(
                    context: context, serverHostname: name,
                    customVerificationCallback: { certificates, verified in
                        if let leaf = certificates.first {
                            shown.succeed(Date(timeIntervalSince1970: TimeInterval(leaf.notValidAfter)))
                        } else {
                            shown.fail(NIOSSLError.noCertificateToValidate)
                        }
                        // It was only looked at; nothing is said over this connection.
                        verified.succeed(.failed)
                    })
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        do {
            let channel = try await bootstrap.connect(host: host, port: port).get()
            channel.eventLoop.scheduleTask(in: patience) { shown.fail(ChannelError.connectTimeout(patience)) }
            channel.closeFuture.whenComplete { _ in shown.fail(ChannelError.eof) }
            let date = try await shown.futureResult.get()
            channel.close(promise: nil)
            return date
        } catch {
            shown.fail(error)
            throw error
        }
    }

    /// A connection, and no more.
    static func reach(host: String, port: Int, within patience: TimeAmount) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(patience)
        try await bootstrap.connect(host: host, port: port).get().close().get()
    }
}

/// The addresses of a name by this machine's resolver; none where it has none.
enum HostAddresses {
    static func of(_ host: String) -> [String] {
        var hints = addrinfo(), found: UnsafeMutablePointer<addrinfo>?
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
        defer { freeaddrinfo(found) }
        var addresses: [String] = [], next = found
        while let info = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = info.ai_next
        }
        return addresses
    }
}
