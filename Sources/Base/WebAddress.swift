import Foundation

/// An absolute http or https URL in one spelling: lower-case scheme and host, no default port, no trailing slash, no
/// fragment.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int?
    /// Percent-encoded, begins with `/` or is empty, never ends with `/`.
    public let path: String
    public let query: String?

    /// `nil` unless `text` is an absolute http(s) URL with a host, without userinfo and without dot segments, encoded
    /// ones included.
    ///
    /// Nothing is repaired: letters that RFC 3986 does not allow refuse it, as do a percent-encoded host and one that
    /// only some readers take for an IPv4 address (`127.1`, `0x7f.1`): what we compare as text, others must not read as
    /// another host.
    public init?(_ text: String) {
        guard text.utf8.count <= 2_048, let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.encodedHost.flatMap(Self.host), parts.user == nil,
            parts.password == nil,
            parts.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        let segments = parts.percentEncodedPath.lowercased().replacing("%2e", with: ".").split(
            separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        self.scheme = scheme
        self.host = host
        port = parts.port == (scheme == "https" ? 443 : 80) ? nil : parts.port
        path = String(parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed())
        query = parts.percentEncodedQuery
    }

    /// In its one spelling: a name in lower case, dotted decimal, or IPv6 in brackets without zone.
    private static func host(_ text: String) -> String? {
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().dropLast()).flatMap { $0.isIPv6 ? "[\($0)]" : nil } }
        let name = text.lowercased()
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "%")) else { return nil }
        // WHATWG URL, 3.5: what ends in a number is an IPv4 address.
        let last = name.split(separator: ".").last ?? ""
        let isNumber = last.allSatisfy(\.isNumber) || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
        return isNumber && IPAddress(name) == nil ? nil : name
    }

    public var origin: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }
    public var withoutQuery: String { origin + path }
    public var description: String { withoutQuery + (query.map { "?\($0)" } ?? "") }

    /// `localhost`, 127.0.0.0/8 and ::1, as written; no name is looked up.
    public var isLoopback: Bool { host == "localhost" || host == "[::1]" || IPAddress(host)?.bytes.first == 127 }
}
