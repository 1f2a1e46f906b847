/// The origin of a web page as browsers write it into `Origin` (RFC 6454, 6.2): scheme, host and, unless it is the
/// scheme's own, port. Compared as it stands, byte by byte: what differs in anything is another origin.
public struct WebOrigin: Sendable, Equatable, CustomStringConvertible {
    /// In words for whoever registers it.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Bytes: a host of 253, with scheme and port.
    public static let longest = 270

    public let description: String

    /// https, or http on a loopback address. `null`, schemes of apps and patterns are nobody's origin: many pages have
    /// them, and no browser keeps these apart.
    public init(_ text: String) throws(Malformed) {
        let uri: StrictURI
        do { uri = try StrictURI(text, longest: WebOrigin.longest) } catch { throw Malformed(error.description) }
        guard let host = uri.host, uri.scheme == "https" || uri.scheme == "http" && uri.isLoopback else {
            throw Malformed("is no web origin: it must be https://HOST, or http of a loopback address")
        }
        guard uri.path.isEmpty, uri.query == nil, uri.fragment == nil else {
            throw Malformed("has something behind its host: an origin ends there, without a slash")
        }
        let port = uri.port == (uri.scheme == "https" ? 443 : 80) ? nil : uri.port
        let written = "\(uri.scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
        guard text.utf8.elementsEqual(written.utf8) else {
            throw Malformed("is not written as browsers do, which is \(written)")
        }
        description = text
    }
}
