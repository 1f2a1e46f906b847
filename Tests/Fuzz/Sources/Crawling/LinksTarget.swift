import Foundation
import Harness
import Vocabulary

@testable import Crawler

/// Links: RFC 3986 in `URIReference` and `WebURL`, RSD2's concatenation, `Link` headers. A line of input is the base,
/// the rest the reference; one line alone is resolved against the base of RFC 3986, 5.4. Beside it: 5.2.4 to the
/// letter, and Foundation's `URL`.
enum LinksTarget {
    static let target = Target("links", run: run)

    private static func run(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (base, reference) = lines.count == 2 ? (lines[0], lines[1]) : ("http://a/b/c/d;p?q", text)
        resolve(reference, base)
        join(base, reference)
        if RSDLink.isUsable(reference) { LinkOracle.shown(reference) }
        header(reference)
    }

    private static func resolve(_ reference: String, _ base: String) {
        let parts = URIReference(reference)
        require(URIReference(parts.text).text == parts.text, "a reference is written as it is read: \(parts.text)")
        guard let from = try? WebURL(base) else { return }
        LinkOracle.asked(from)
        let resolved = parts.resolved(against: URIReference(from.description))
        let segments = resolved.path.split(separator: "/", omittingEmptySubsequences: false)
        require(!segments.contains(".") && !segments.contains(".."), "no dot segments are left: \(resolved.path)")
        guard let url = try? from.resolving(reference) else { return }
        LinkOracle.asked(url)
        require(
            (try? url.resolving("")) == url && (try? from.resolving(url.description)) == url,
            "what was resolved is absolute: \(url)")
        let isWhole = parts.scheme != nil || parts.authority != nil || parts.path.hasPrefix("/")
        let merged = isWhole ? parts.path : parts.path.isEmpty ? from.path : folder(from.path) + parts.path
        require(
            url.path == (merged.isEmpty ? "/" : undotted(merged)),
            "RFC 3986, 5.2.4, has it so: \(merged) becomes \(url.path)")
        compare(url, reference, from)
    }

    private static func folder(_ path: String) -> String {
        String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// RFC 3986, 5.2.4, step by step; `path` begins with a slash.
    private static func undotted(_ path: String) -> String {
        var input = Array(path.utf8)[...], output: [UInt8] = []
        func begins(_ word: String) -> Bool { input.starts(with: word.utf8) }
        func isAll(_ word: String) -> Bool { input.elementsEqual(word.utf8) }
        func back() { output.removeSubrange((output.lastIndex(of: UInt8(ascii: "/")) ?? 0)...) }
        while !input.isEmpty {
            if begins("/./") {
                input = input.dropFirst(2)
            } else if isAll("/.") {
                input = input.prefix(1)
            } else if begins("/../") {
                input = input.dropFirst(3)
                back()
            } else if isAll("/..") {
                input = input.prefix(1)
                back()
            } else {
                let segment = input.prefix(1) + input.dropFirst().prefix { $0 != UInt8(ascii: "/") }
                output += segment
                input = input.dropFirst(segment.count)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Where nothing has to be repaired and nothing is disputed: a path or query alone, without empty segments.
    private static func compare(_ url: WebURL, _ reference: String, _ base: WebURL) {
        let isPlain = reference.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~!$&'()*+,;=/?".utf8.contains(byte)
        }
        let path = base.path.split(separator: "/", omittingEmptySubsequences: false)
        guard isPlain, !reference.isEmpty, !reference.contains("//"), !base.path.contains("//"), !path.contains("."),
            !path.contains(".."),
            let theirBase = URL(string: base.description), theirBase.absoluteString == base.description,
            let theirs = URL(string: reference, relativeTo: theirBase)?.absoluteString
        else { return }
        require(theirs == url.description, "Foundation resolves it alike: \(theirs), \(url)")
    }

    private static func join(_ base: String, _ part: String) {
        require(RSDLink.joined(base, "") == base && RSDLink.joined("", part) == part, "an empty part adds nothing")
        guard !base.isEmpty, !part.isEmpty, (base + part).utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let head = base.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed(),
            tail = part.utf8.drop { $0 == UInt8(ascii: "/") }
        require(
            RSDLink.joined(base, part).utf8.elementsEqual(Array(head) + [UInt8(ascii: "/")] + Array(tail)),
            "one slash stands between")
        let isAbsolute =
            part.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            .map { $0 != part.utf8.startIndex && part.utf8[$0...].starts(with: "://".utf8) } ?? false
        require(RSDLink.isAbsolute(part) == isAbsolute, "absolute is what has :// first")
        require(
            RSDLink.expanded(part, on: base) == (isAbsolute ? part : RSDLink.joined(base, part)),
            "what is absolute stays, the rest is joined")
    }

    /// RFC 8288, 3: as read from the wire, and as written with the input in it.
    private static func header(_ text: String) {
        let links = LinkHeader.links([text])
        require(links.count <= text.utf8.count { $0 == UInt8(ascii: "<") }, "a link has a bracket")
        require(
            links.allSatisfy { link in
                text.utf8.indices.contains { text.utf8[$0...].starts(with: link.href.utf8) } || link.href.isEmpty
            }, "a target stands in the header")
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
        if !text.contains(">") {
            require(
                LinkHeader.links(["<\(text)>; rel=\"ServiceAPI\""]).map(\.href) == [text],
                "a target is read as it was written")
        }
        let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let found = FoundLink.candidates(
            LinkHeader.links(["</a>; title=\"\(quoted)\"; rel=ServiceAPI, </b>; rel=next"])
        ).map(\.href)
        require(found == ["/a"], "what is quoted ends nothing: \(found)")
    }
}
