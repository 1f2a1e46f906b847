import Harness

@testable import Crawler

/// `HTMLLinks`: libxml2's HTML parser. Beside it: pages whose links are known, written around the input.
enum PageTarget {
    static let target = Target("html", run: run)
    private static let known = "<link rel=ServiceAPI href=/known>"

    private static func run(_ input: [UInt8]) {
        let text = BodyEncoding.page(input, charset: nil)
        let page = HTMLLinks(text)
        require(page == HTMLLinks(text), "the same page read twice is the same")
        let candidates = FoundLink.candidates(page.links)
        require(candidates.count <= 5 && candidates.count <= page.links.count, "five candidates a page at most")
        let root = page.base.flatMap { try? ReadOracle.url.resolving($0) } ?? ReadOracle.url
        for link in candidates {
            require(link.rel.contains("serviceapi") || link.rel.contains("edituri"), "a candidate says what it is")
            if let url = try? root.resolving(link.href) { LinkOracle.asked(url) }
        }
        hidden(text)
        href(text)
    }

    /// Nothing inside comments, `script`, `style`, `template` and `textarea` is a link, as long as it does not end them
    /// itself.
    private static func hidden(_ text: [UInt8]) {
        if !contains(text, "--"), text.first != UInt8(ascii: ">"), !text.starts(with: "->".utf8),
            text.last != UInt8(ascii: "-"), !contains(text, "<!")
        {
            nothing(text, "<!--", "-->")
        }
        guard !contains(text, "</"), !contains(text, "<!"), !contains(text, "<?") else { return }
        for name in ["script", "style", "template", "textarea"] { nothing(text, "<\(name)>", "</\(name)>") }
    }

    private static func nothing(_ text: [UInt8], _ open: String, _ close: String) {
        let page = HTMLLinks(
            Array("<!DOCTYPE html><html><head>\(open)".utf8) + text + Array("\(close)\(known)</head></html>".utf8))
        let found = FoundLink.candidates(page.links).map(\.href)
        require(found.allSatisfy { $0 == "/known" }, "nothing inside \(open) is a link: \(found)")
        require(page.base == nil, "nothing inside \(open) is a base: \(page.base.debugDescription)")
    }

    /// An attribute is read as it was written.
    private static func href(_ text: [UInt8]) {
        guard text.count <= 1_024, let written = String(validating: text, as: UTF8.self),
            written.unicodeScalars.allSatisfy({ scalar in
                scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
                    && !scalar.properties.isNoncharacterCodePoint
            })
        else { return }
        var escaped = ""
        for scalar in written.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        let links = HTMLLinks(Array("<html><head><link rel=\"ServiceAPI\" href=\"\(escaped)\"></head></html>".utf8))
            .links
        require(
            links.count == 1 && isSpelledAlike(links[0].href, written),
            "an attribute is read as it was written: \(links.map(\.href))")
    }

    private static func contains(_ text: [UInt8], _ word: String) -> Bool {
        text.indices.contains { text[$0...].starts(with: word.utf8) }
    }
}
