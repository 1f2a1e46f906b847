/// What of a page may hold links: without comments, `template`, and the elements whose content is text and no markup
/// (HTML, 13.2.5, 13.2.6, with scripts running), each up to its own end tag. libxml2 lets others end them, or reads
/// what is in them as markup.
enum PageMarkup {
    private static let texts: Set<String> = [
        "script", "style", "textarea", "title", "noscript", "iframe", "xmp", "noembed", "noframes",
    ]

    /// `nil` when a tag has more attributes than a parser should see.
    static func visible(_ text: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = [], at = 0, templates = 0
        out.reserveCapacity(text.count)
        while at < text.count {
            guard text[at] == UInt8(ascii: "<") else {
                let end = text[at...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
                if templates == 0 { out += text[at..<end] }
                at = end
                continue
            }
            if Markup.matches(text, at: at, "<!--") {
                at = commentEnd(text, at + 2)
                continue
            }
            let isEnd = Markup.matches(text, at: at, "</"), nameStart = at + (isEnd ? 2 : 1)
            guard nameStart < text.count, isLetter(text[nameStart]) else {
                let isBogus =
                    isEnd
                    || nameStart < text.count
                        && (text[nameStart] == UInt8(ascii: "!") || text[nameStart] == UInt8(ascii: "?"))
                let end = isBogus ? text[at...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? text.count : at + 1
                if templates == 0 { out += text[at..<end] }
                at = end
                continue
            }
            let tag = Markup.tag(text, in: at..<text.count, atMost: ReadingLimits.attributes)
            guard tag.attributes <= ReadingLimits.attributes else { return nil }
            let letters = text[nameStart...].prefix(32).prefix {
                !Markup.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">")
            }
            let name = String(decoding: letters, as: UTF8.self).lowercased()
            switch (name, isEnd) {
            case ("plaintext", false): return out
            case ("template", false): templates += 1
            case ("template", true): templates = max(0, templates - 1)
            case (_, false) where texts.contains(name):
                at = endTag(text, of: name, from: tag.end)
                continue
            default: if templates == 0 { out += text[at..<tag.end] }
            }
            at = tag.end
        }
        return out
    }

    /// Behind `-->` or `--!>`; `start` is at the dashes that open the comment, which may be the ones that end it.
    private static func commentEnd(_ text: [UInt8], _ start: Int) -> Int {
        for index in start..<text.count where text[index] == UInt8(ascii: "-") {
            if Markup.matches(text, at: index, "-->") { return index + 3 }
            if index > start + 1, Markup.matches(text, at: index, "--!>") { return index + 4 }
        }
        return text.count
    }

    /// Behind the end tag of the element whose content begins at `start`.
    private static func endTag(_ text: [UInt8], of name: String, from start: Int) -> Int {
        for index in start..<text.count
        where text[index] == UInt8(ascii: "<") && Markup.matches(text, at: index, "</" + name) {
            let after = index + 2 + name.utf8.count
            guard after < text.count else { return text.count }
            if Markup.isBlank(text[after]) || text[after] == UInt8(ascii: "/") || text[after] == UInt8(ascii: ">") {
                return Markup.tag(text, in: index..<text.count, atMost: ReadingLimits.attributes).end
            }
        }
        return text.count
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
}
