import Base
import Vocabulary

/// An absolute http or https URL that the fetch policy lets through as far as its spelling tells: scheme, user
/// information, host and port.
struct WebURL: Hashable, Sendable, CustomStringConvertible {
    enum Host: Hashable, Sendable {
        case name(String)
        case address(IPAddress)
    }

    let isSecure: Bool
    let host: Host
    /// IPv6 in brackets.
    let hostText: String
    /// `nil` for the scheme's own.
    let port: Int?
    /// Begins with a slash.
    let path: String
    let query: String?

    init(_ text: String) throws(CrawlFailure) { try self.init(URIReference(text)) }

    /// `reference` resolved against this URL.
    func resolving(_ reference: some StringProtocol) throws(CrawlFailure) -> WebURL {
        try WebURL(URIReference(reference).resolved(against: URIReference(description)))
    }

    private init(_ uri: URIReference) throws(CrawlFailure) {
        guard let scheme = uri.scheme, scheme == "http" || scheme == "https" else {
            throw CrawlFailure(.scheme, "\(uri.scheme ?? "no scheme") is neither http nor https")
        }
        guard let authority = uri.authority, !authority.isEmpty else {
            throw CrawlFailure(.address, "a URL without a host")
        }
        guard !authority.contains("@") else { throw CrawlFailure(.scheme, "a URL with user information") }
        isSecure = scheme == "https"
        let (name, portText) = WebURL.split(authority)
        host = try WebURL.host(name)
        hostText =
            switch host {
            case .name(let name): name
            case .address(let address): address.isIPv6 ? "[\(address)]" : address.description
            }
        let standard = isSecure ? 443 : 80
        if let portText, !portText.isEmpty {
            guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
                WebURL.isPortOpen(number)
            else {
                throw CrawlFailure(.port, "port \(portText) is not asked")
            }
            port = number == standard ? nil : number
        } else {
            port = nil
        }
        path = uri.path.isEmpty ? "/" : uri.path
        query = uri.query
    }

    /// 80, 443 and from 1024 on, without PostgreSQL, Redis and memcached.
    private static func isPortOpen(_ port: Int) -> Bool {
        port == 80 || port == 443 || (1024...65_535).contains(port) && ![5432, 6379, 11_211].contains(port)
    }

    private static func split(_ authority: String) -> (host: Substring, port: Substring?) {
        let search =
            authority.hasPrefix("[")
            ? authority[(authority.firstIndex(of: "]") ?? authority.startIndex)...] : authority[...]
        guard let colon = search.firstIndex(of: ":") else { return (authority[...], nil) }
        return (authority[..<colon], authority[colon...].dropFirst())
    }

    private static func host(_ text: Substring) throws(CrawlFailure) -> Host {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), let address = IPAddress(text.dropFirst().dropLast()), address.isIPv6 else {
                throw CrawlFailure(.address, "\(text) is not an address")
            }
            return .address(address)
        }
        if let address = IPAddress(text) { return .address(address) }
        let name = text.lowercased()
        let labels = name.split(separator: ".")
        guard let last = labels.last, name.utf8.count <= 253,
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._".utf8.contains($0) }
            )
        else {
            throw CrawlFailure(.address, "\(name.prefix(80)) is not a host name")
        }
        // 0x7f.1, 2130706433, 0177.0.0.1: some resolvers read these as addresses; here they are refused, not
        // interpreted.
        let isNumber = last.allSatisfy(\.isNumber) || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
        guard !isNumber else { throw CrawlFailure(.address, "\(name) is an unusual spelling of an address") }
        return .name(name)
    }

    var effectivePort: Int { port ?? (isSecure ? 443 : 80) }
    var origin: String { (isSecure ? "https://" : "http://") + hostText + (port.map { ":\($0)" } ?? "") }
    /// As in `service_document.host`.
    var hostAndPort: String { hostText + (port.map { ":\($0)" } ?? "") }
    var description: String { origin + path + (query.map { "?" + $0 } ?? "") }
}
