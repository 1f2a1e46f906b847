import Base
import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// The certificate that a server shows to who comes by name, whoever signed it: how long it holds, and for whom.
struct PresentedCertificate: Sendable {
    let until: Date
    /// In lower case.
    let names: [String]
    let addresses: [IPAddress]

    /// RFC 9525, 6.3 and 6.4: an address is there as one; a name whole, or with `*` for its first label. The subject's
    /// common name says nothing.
    func isFor(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains(address) }
        let below = host.drop { $0 != "." }
        return names.contains(host) || !below.isEmpty && names.contains("*\(below)")
    }

    static func shown(host: String, port: Int, within patience: TimeAmount) async throws -> PresentedCertificate {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration), group = MultiThreadedEventLoopGroup.singleton
        let shown = group.next().makePromise(of: PresentedCertificate.self)
        // An address is no name for SNI (RFC 6066, 3).
        let name = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } ? nil : host
        let bootstrap = ClientBootstrap(group: group).connectTimeout(patience).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = try NIOSSLClientHandler(
                    context: context, serverHostname: name,
                    customVerificationCallback: { certificates, verified in
                        if let leaf = certificates.first {
                            shown.succeed(PresentedCertificate(leaf))
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
            let certificate = try await shown.futureResult.get()
            channel.close(promise: nil)
            return certificate
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

extension PresentedCertificate {
    fileprivate init(_ leaf: NIOSSLCertificate) {
        let shown = leaf._subjectAlternativeNames()
        self.init(
            until: Date(timeIntervalSince1970: TimeInterval(leaf.notValidAfter)),
            names: shown.filter { $0.nameType == .dnsName }.map {
                String(decoding: $0.contents, as: UTF8.self).lowercased()
            }, addresses: shown.filter { $0.nameType == .ipAddress }.map { IPAddress(bytes: Array($0.contents)) })
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
