import Base
import Foundation
import HTTP
import Keys
import PKIX

/// How requests reach this process: TLS of its own, or a proxy in front that is believed.
public struct TransportSettings: Sendable {
    let proxies: ProxyTrust
    let isBehindProxy: Bool
    /// Whether a client's certificate can reach this process.
    let takesCertificates: Bool
    /// Files in PEM; `nil`: plain HTTP.
    private let server: (certificate: String, key: String)?
    private let clients: Clients

    private enum Clients: Sendable { case notAsked, selfSigned, signedBy(file: String) }

    var speaksTLS: Bool { server != nil }

    /// Plain HTTP, from proxies that are known already.
    public init(proxies: ProxyTrust, takesCertificates: Bool) {
        (self.proxies, self.takesCertificates, isBehindProxy, server, clients) = (
            proxies, takesCertificates, true, nil, .notAsked
        )
    }

    init(_ values: ConfigurationValues) throws {
        func text(_ key: Setting) -> String? { values[key].isEmpty ? nil : values[key] }
        let ranges = try TransportSettings.ranges(values[.trustedProxy]), header = text(.clientCertificateHeader)
        if let header, let wide = ranges.first(where: TransportSettings.isWide) {
            throw Settings.Unacceptable(
                description: """
                    trusted-proxy, client-certificate-header: by \(header) whoever has an address in \(wide) could \
                    claim to be any \
                    client. Name the proxies' own addresses in trusted-proxy (at most a /24, of IPv6 a /64), or true \
                    for \
                    proxies on this machine
                    """)
        }
        isBehindProxy = !ranges.isEmpty
        do {
            proxies = try ProxyTrust(
                ranges: ranges, certificateHeader: header, verifyHeader: text(.clientCertificateVerifyHeader))
        } catch {
            throw Settings.Unacceptable(
                description: "trusted-proxy, client-certificate-header, client-certificate-verify-header: \(error)")
        }
        switch (text(.tlsCertificate), text(.tlsKey)) {
        case (nil, nil): server = nil
        case (let certificate?, let key?): server = (certificate, key)
        default: throw Settings.Unacceptable(description: "tls-certificate, tls-key: one is nothing without the other")
        }
        let authorities = text(.tlsClientCA)
        guard authorities == nil || server != nil else {
            throw Settings.Unacceptable(
                description:
                    "tls-client-ca: asks for certificates in this process's own TLS; set tls-certificate and tls-key")
        }
        switch authorities {
        case nil: clients = .notAsked
        case "none": clients = .selfSigned
        case let file?: clients = .signedBy(file: file)
        }
        takesCertificates = header != nil || authorities != nil
    }

    /// More than one segment of a network. Who forges a sender's address misleads the audit trail; who forges a
    /// certificate is that client.
    private static func isWide(_ range: CIDR) -> Bool {
        if ownMachine.contains(where: { range.bits >= $0.bits && $0.contains(range.address) }) { return false }
        return range.bits < (range.address.isIPv6 ? 64 : 24)
    }

    private static let ownMachine = ["127.0.0.0/8", "::1"].compactMap { CIDR($0) }

    private static func ranges(_ text: String) throws -> [CIDR] {
        switch text {
        case "false", "": return []
        case "true": return ownMachine
        default:
            guard let ranges = CIDR.list(text), !ranges.isEmpty else {
                throw Settings.Unacceptable(
                    description:
                        """
                        trusted-proxy: write false, true (for proxies on this machine), or CIDRs with commas, e.g. \
                        10.1.0.0/16,fd00::/8
                        """
                )
            }
            return ranges
        }
    }

    /// Reads the files; `nil` for plain HTTP.
    func security(clock: WallClock) throws -> TransportSecurity? {
        guard let server else { return nil }
        let authorities: ClientAuthorities?
        switch clients {
        case .notAsked: authorities = nil
        case .selfSigned: authorities = ClientAuthorities.none
        case .signedBy(let file):
            do { authorities = try ClientAuthorities(pem: try TransportSettings.read(file, .tlsClientCA)) } catch let
                error as MalformedCertificate
            {
                throw Settings.Unacceptable(description: "tls-client-ca: \(file): \(error)")
            }
        }
        let certificates = try TransportSettings.read(server.certificate, .tlsCertificate),
            key = try TransportSettings.read(server.key, .tlsKey)
        do {
            return try TransportSecurity(certificates: certificates, key: key, authorities: authorities, clock: clock)
        } catch let error as TransportSecurity.Unacceptable {
            throw Settings.Unacceptable(description: "tls-certificate, tls-key: \(error)")
        }
    }

    private static func read(_ file: String, _ key: Setting) throws -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw Settings.Unacceptable(description: "\(key.name): \(file) cannot be read")
        }
        return text
    }
}
