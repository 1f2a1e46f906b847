import Foundation

/// An absolute http or https URL in one spelling: lower-case scheme and host, no default port, no trailing slash, no fragment.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int?
    /// Percent-encoded, begins with `/` or is empty, never ends with `/`.
    public let path: String
    public let query: String?

    /// `nil` unless `text` is an absolute http(s) URL with a host, without userinfo and without dot segments.
    public init?(_ text: String) {
        guard text.utf8.count <= 2_048, let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
              let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil else { return nil }
        let segments = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        self.scheme = scheme
        self.host = host
        port = parts.port == (scheme == "https" ? 443 : 80) ? nil : parts.port
        path = String(parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed())
        query = parts.percentEncodedQuery
    }

    public var origin: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }
    public var withoutQuery: String { origin + path }
    public var description: String { withoutQuery + (query.map { "?\($0)" } ?? "") }

    /// `localhost`, 127.0.0.0/8 and ::1, as written; no name is looked up.
    public var isLoopback: Bool { host == "localhost" || host == "[::1]" || host == "::1" || host.wholeMatch(of: #/127(?:\.[0-9]{1,3}){3}/#) != nil }
}
