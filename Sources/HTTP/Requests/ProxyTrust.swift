import Base
import HTTPTypes

/// Which peers are proxies in front of this server, and where they write the client's certificate.
///
/// Only these say who asks; never where: the URL that a proof must name is configured, and `Host` or `X-Forwarded-Host`
/// is not read.
public struct ProxyTrust: Sendable {
    /// A configuration that cannot stand.
    public struct Unacceptable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// No proxy is believed.
    public static let nobody = ProxyTrust()

    public let ranges: [CIDR]
    /// RFC 9440 `Client-Cert`, or what the proxy calls it.
    let certificateHeader: HTTPField.Name?
    /// Says `SUCCESS` when the proxy has checked the certificate's chain.
    let verifyHeader: HTTPField.Name?

    private init() { (ranges, certificateHeader, verifyHeader) = ([], nil, nil) }

    public init(ranges: [CIDR], certificateHeader: String? = nil, verifyHeader: String? = nil) throws(Unacceptable) {
        self.ranges = ranges
        self.certificateHeader = try ProxyTrust.name(certificateHeader)
        self.verifyHeader = try ProxyTrust.name(verifyHeader)
        guard certificateHeader == nil || !ranges.isEmpty else {
            throw Unacceptable(description: "a certificate header needs proxies that are trusted")
        }
        guard verifyHeader == nil || certificateHeader != nil else {
            throw Unacceptable(description: "a verify header needs a certificate header")
        }
        guard verifyHeader == nil || self.verifyHeader != self.certificateHeader else {
            throw Unacceptable(description: "certificate and verify header are one")
        }
    }

    private static func name(_ text: String?) throws(Unacceptable) -> HTTPField.Name? {
        guard let text else { return nil }
        guard let name = HTTPField.Name(text), !name.isPseudo else {
            throw Unacceptable(description: "\(text) is no name of a header")
        }
        return name
    }

    /// An IPv4-mapped address counts as the IPv4 one; an address with a zone, or none, is nobody's.
    func includes(_ address: IPAddress?) -> Bool {
        guard let address = address?.unmapped else { return false }
        return ranges.contains { $0.contains(address) }
    }

    /// The address from which the request came: the rightmost that is no trusted proxy (RFC 7239, 5.2 and 7.4).
    ///
    /// A peer that is no proxy is the sender, whatever it writes. A hop that is not an address ends the walk: then the
    /// last known one is told.
    func origin(peer: String?, _ headers: HTTPFields) -> String? {
        guard var known = peer.flatMap({ IPAddress($0)?.unmapped }) else { return peer }
        for hop in ForwardedFor.hops(headers).reversed() {
            guard includes(known), let next = hop?.unmapped else { break }
            known = next
        }
        return known.description
    }
}

extension HTTPField.Name {
    fileprivate var isPseudo: Bool { canonicalName.hasPrefix(":") }
}
