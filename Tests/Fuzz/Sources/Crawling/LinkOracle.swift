import Foundation
import Harness
import Vocabulary

@testable import Crawler

/// What holds of every link: judged by bytes, as those do who follow it.
enum LinkOracle {
    /// A link that apps are told.
    static func shown(_ link: String) {
        let bytes = Array(link.utf8)
        require(link.unicodeScalars.count <= 2_048, "a link has 2,048 characters at most")
        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        require(
            ["http", "https"].contains(String(decoding: scheme, as: UTF8.self).lowercased()),
            "a link is of the web: \(link.debugDescription)")
        require(bytes.dropFirst(scheme.count).starts(with: "://".utf8), "a link is absolute: \(link.debugDescription)")
        let authority = bytes.dropFirst(scheme.count + 3).prefix { !"/?#\\".utf8.contains($0) }
        require(
            !authority.isEmpty && authority.first != UInt8(ascii: ":"), "a link has a host: \(link.debugDescription)")
        require(!authority.contains(UInt8(ascii: "@")), "a link has no userinfo: \(link.debugDescription)")
        require(
            !bytes.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") },
            "a link breaks no line: \(link.debugDescription)")
        require(
            RSDLink.isUsable(link) && isSpelledAlike(RSDLink.expanded(link, on: "https://other.example/"), link),
            "a link stays as it is: \(link.debugDescription)")
    }

    /// An address that the crawler asks.
    static func asked(_ url: WebURL) {
        let text = url.description
        require(
            text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address is printable ASCII: \(text.debugDescription)")
        require(
            text.hasPrefix(url.isSecure ? "https://" : "http://") && url.path.hasPrefix("/"),
            "an address is absolute: \(text)")
        require(!url.path.contains("?") && !text.contains("#"), "path, query and fragment are apart: \(text)")
        require(
            url.port.map { (1...65_535).contains($0) && $0 >= 1_024 || $0 == 80 || $0 == 443 } ?? true,
            "a port that may be asked: \(text)")
        let again = certain("an address is one: \(text)") { try WebURL(text) }
        require(
            again == url && isSpelledAlike(again.description, text), "an address is settled: \(text) becomes \(again)")
        let authority = text.dropFirst(url.isSecure ? 8 : 7).prefix { !"/\\?#".contains($0) }
        let host = url.hostText + (url.port.map { ":\($0)" } ?? "")
        require(
            !authority.contains("@") && isSpelledAlike(String(authority), host),
            "a browser goes to the same host: \(text)")
        // What the HTTP client does with it: another host there would be one whose address nobody checked.
        guard let theirs = URL(string: text)?.host() else { return }
        require(
            theirs == url.hostText || "[\(theirs)]" == url.hostText,
            "Foundation's URL has the same host: \(theirs), \(url.hostText)")
    }
}
