import Base
import HTTPTypes
import Harness
import Hummingbird
import HummingbirdCore
import NIOCore
import Pages

@testable import HTTP

/// Header values that we read ourselves: languages, cookies, the hops of proxies. An input is the value of each of them
/// in turn.
enum HeaderTarget {
    static let target = Target("header", run: run)

    private static let cookies = BrowserCookies(issuer: "https://id.example.org")
    private static let trusted = certain("a range is one") {
        try ProxyTrust(ranges: ["192.0.2.0/24", "10.0.0.0/8", "2001:db8::/32"].compactMap { CIDR($0) })
    }
    private static let languages = Language.allCases.map(\.rawValue)

    private static func run(_ input: [UInt8]) {
        let value = String(decoding: input, as: UTF8.self)
        language(value)
        cookie(value)
        for name in ["X-Forwarded-For", "Forwarded"] { hops(value, name) }
    }

    private static func language(_ value: String) {
        let chosen = Language(accepting: value)
        require(
            chosen == .en || value.lowercased().contains(chosen.rawValue) || value.contains("*"),
            "a language is one that was asked for")
        require(
            Language(accepting: nil, uiLocales: value) == .en || languages.contains { value.lowercased().contains($0) },
            "a locale is one that was asked for")
        require(
            Language(accepting: value.uppercased().lowercased()) == chosen || !value.utf8.allSatisfy { $0 < 0x80 },
            "case does not matter")
        for language in Language.allCases {
            require(Language(accepting: value, uiLocales: language.rawValue) == language, "ui_locales comes first")
        }
    }

    private static func cookie(_ value: String) {
        let request = self.request([.cookie: value])
        for read in [cookies.browser(request), cookies.session(request)] {
            guard let read else { continue }
            require(read.utf8.count == 43 && Base64URL.decode(read)?.count == 32, "a cookie of ours has 32 bytes")
            require(value.contains(read), "a cookie is one that was sent")
        }
        let own = String(repeating: "A", count: 43), line = cookies.setBrowser(own).prefix { $0 != ";" }
        require(cookies.browser(self.request([.cookie: String(line)])) == own, "what we set is read")
        if cookies.browser(request) != nil {
            require(
                cookies.browser(self.request([.cookie: value + "; " + line])) == nil,
                "a second cookie of one name makes both worthless")
        }
    }

    private static func request(_ headers: HTTPFields) -> Request {
        Request(
            head: .init(method: .get, scheme: "https", authority: "id.example.org", path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    private static func hops(_ value: String, _ name: String) {
        guard let field = HTTPField.Name(name) else { return }
        let headers: HTTPFields = [field: value]
        let hops = ForwardedFor.hops(headers)
        require(hops.count <= value.utf8.count { $0 == UInt8(ascii: ",") } + 1, "a comma, a hop")
        for hop in hops.compactMap(\.self) { require(IPAddress(hop.description) == hop, "an address has one spelling") }
        require(
            ProxyTrust.nobody.origin(peer: "198.51.100.7", headers) == "198.51.100.7",
            "who is no proxy is the sender, whatever it says")
        require(
            trusted.origin(peer: "198.51.100.7", headers) == "198.51.100.7",
            "a stranger is the sender, whatever it says")
        guard let origin = trusted.origin(peer: "192.0.2.1", headers), let address = IPAddress(origin) else {
            violated("an origin is an address")
        }
        require(address == address.unmapped, "an origin is unmapped")
        guard !trusted.includes(address) else { return }
        require(hops.contains { $0?.unmapped == address }, "an origin is one of the hops")
    }
}
