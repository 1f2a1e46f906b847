import Vocabulary

/// A URI reference in its five parts, and how it resolves against a base (RFC 3986, 4.1, 5.2, appendix B).
///
/// Liberal in what it reads: blanks at the ends are cut; blanks, controls and what is not ASCII are percent-encoded.
struct URIReference: Equatable, Sendable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?

    /// The fragment is dropped, as nothing here is fetched by one.
    init(_ text: some StringProtocol) {
        var rest = URIReference.encoded(String(text).trimmingBlanks)[...]
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        if let end = rest.firstIndex(where: { ":/?".contains($0) }), rest[end] == ":", end != rest.startIndex,
            rest.first?.isLetter == true
        {
            scheme = rest[..<end].lowercased()
            rest = rest[end...].dropFirst()
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        path = String(rest[..<mark])
        query = mark < rest.endIndex ? String(rest[mark...].dropFirst()) : nil
    }

    /// RFC 3986, 5.2.2.
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else if !path.hasPrefix("/") {
                    target.path = base.merged(path)
                }
            }
        }
        target.path = URIReference.withoutDots(target.path)
        return target
    }

    var text: String {
        (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
    }

    /// 5.2.3
    private func merged(_ relative: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return authority == nil ? relative : "/" + relative }
        return path[...slash] + relative
    }

    /// 5.2.4
    private static func withoutDots(_ path: String) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let last = index == segments.count - 1
            switch segment {
            case ".": if last { kept.append("") }
            case "..":
                if kept.count > 1 || kept.first?.isEmpty == false { kept.removeLast() }
                if last { kept.append("") }
            default: kept.append(segment)
            }
        }
        let joined = kept.joined(separator: "/")
        return path.hasPrefix("/") && !joined.hasPrefix("/") ? "/" + joined : joined
    }

    /// Line breaks and tabs go, as browsers do; other characters that no URI may have are percent-encoded.
    private static func encoded(_ text: Substring) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case 0x09, 0x0A, 0x0D: break
            case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"),
                UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            default: out.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return out
    }
}
