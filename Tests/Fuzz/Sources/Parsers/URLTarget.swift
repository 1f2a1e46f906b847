import Base
import Foundation
import Harness

/// `WebAddress`: what it takes has one spelling, and every other reader of that spelling goes to the same host.
enum URLTarget {
    static let target = Target("url", run: run)

    private static func run(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self), let address = WebAddress(text) else { return }
        let spelling = address.description
        require(
            spelling.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
            "an address is printable ASCII: \(spelling.debugDescription)")
        require(spelling.utf8.count <= 8_192, "an address is of bounded length")
        parts(address)
        settled(address)
        elsewhere(address)
        loopback(address)
    }

    private static func parts(_ address: WebAddress) {
        require(["http", "https"].contains(address.scheme), "http or https")
        require(address.port.map { (0...65_535).contains($0) } ?? true, "a port has 16 bits: \(address)")
        require(
            address.path.isEmpty || address.path.hasPrefix("/") && !address.path.hasSuffix("/"),
            "a path begins with a slash and does not end with one")
        let segments = address.path.lowercased().replacing("%2e", with: ".").split(
            separator: "/", omittingEmptySubsequences: false)
        require(
            !segments.contains(".") && !segments.contains(".."), "no dot segments, encoded ones included: \(address)")
        require(
            !address.path.contains("?") && !address.path.contains("#") && address.query?.contains("#") != true,
            "path, query and fragment are apart")
        if address.host.hasPrefix("[") {
            require(
                address.host.hasSuffix("]")
                    && address.host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." },
                "an IPv6 address and no zone: \(address.host)")
        } else {
            require(
                !address.host.isEmpty && address.host.utf8.allSatisfy(isOfName),
                "a host is a name of one spelling: \(address.host.debugDescription)")
        }
    }

    /// RFC 3986, 3.2.2 `reg-name` without percent-encoding and capitals.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=".utf8.contains(byte)
        }
    }

    /// Normalising twice is normalising once.
    private static func settled(_ address: WebAddress) {
        for (text, part) in [
            (address.description, "description"), (address.withoutQuery, "withoutQuery"), (address.origin, "origin"),
        ] {
            guard let again = WebAddress(text) else { violated("the \(part) is an address: \(text)") }
            require(isSpelledAlike(again.description, text), "the \(part) is settled: \(text) becomes \(again)")
            require(isSpelledAlike(again.origin, address.origin), "the \(part) keeps the origin")
        }
    }

    /// RFC 3986, appendix B, with the backslash that browsers take for a slash; and Foundation's `URL`.
    private static func elsewhere(_ address: WebAddress) {
        let rest = address.description.dropFirst(address.scheme.count + 3)
        let authority = rest.prefix { !"/\\?#".contains($0) }
        require(!authority.contains("@"), "no userinfo: \(address)")
        require(
            isSpelledAlike(String(authority), address.host + (address.port.map { ":\($0)" } ?? "")),
            "a browser goes to the same host: \(address)")
        guard let url = URL(string: address.description), let host = url.host() else {
            violated("Foundation reads it: \(address)")
        }
        require(
            host == address.host || "[\(host)]" == address.host,
            "Foundation's URL has the same host: \(host), \(address.host)")
        require(
            url.port == address.port && url.user() == nil && url.scheme == address.scheme,
            "Foundation's URL has the same origin")
    }

    private static func loopback(_ address: WebAddress) {
        guard address.isLoopback, address.host != "localhost" else { return }
        let host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 {
            require(UInt32(bigEndian: four.s_addr) >> 24 == 127, "127.0.0.0/8")
        } else {
            require(
                inet_pton(AF_INET6, host, &six) == 1
                    && withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 },
                "::1, or no loopback: \(host)")
        }
    }
}
