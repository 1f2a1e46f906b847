/// The pieces of XML or HTML text, found without understanding them: enough to see where tags, comments and CDATA
/// sections begin and end. Works on UTF-8; never fails; what is cut off at the end is the piece `cut`.
struct Markup: Sequence {
    struct Piece {
        enum Kind: Equatable {
            case text, comment, instruction, doctype, cut
            /// A CDATA section.
            case characters
            case start(name: String, closed: Bool)
            case end(name: String)
        }

        let kind: Kind
        let range: Range<Int>

        func isBlank(in text: [UInt8]) -> Bool { text[range].allSatisfy(Markup.isBlank) }
    }

    private let text: [UInt8]
    init(_ text: [UInt8]) { self.text = text }

    func makeIterator() -> AnyIterator<Piece> {
        var at = 0
        return AnyIterator {
            guard at < text.count else { return nil }
            let piece = text[at] == UInt8(ascii: "<") ? tag(at) : plain(at)
            at = piece.range.upperBound
            return piece
        }
    }

    private func plain(_ start: Int) -> Piece {
        Piece(kind: .text, range: start..<(text[start...].firstIndex(of: UInt8(ascii: "<")) ?? text.count))
    }

    private func tag(_ start: Int) -> Piece {
        if Markup.matches(text, at: start, "<!--") { return delimited(start, from: start + 4, "-->", .comment) }
        if Markup.matches(text, at: start, "<![CDATA[") { return delimited(start, from: start + 9, "]]>", .characters) }
        if Markup.matches(text, at: start, "<!doctype") { return delimited(start, from: start + 9, ">", .doctype) }
        if Markup.matches(text, at: start, "<?") { return delimited(start, from: start + 2, "?>", .instruction) }
        let isEnd = Markup.matches(text, at: start, "</")
        let nameStart = start + (isEnd ? 2 : 1)
        let nameEnd = text[Swift.min(nameStart, text.count)...].firstIndex { !Markup.isNameByte($0) } ?? text.count
        guard nameStart < text.count else { return Piece(kind: .cut, range: start..<text.count) }
        guard nameEnd > nameStart else { return Piece(kind: .text, range: start..<(start + 1)) }
        guard let close = tagEnd(nameEnd) else { return Piece(kind: .cut, range: start..<text.count) }
        let name = String(decoding: text[nameStart..<nameEnd], as: UTF8.self)
        return Piece(
            kind: isEnd ? .end(name: name) : .start(name: name, closed: text[close - 1] == UInt8(ascii: "/")),
            range: start..<(close + 1))
    }

    /// The `>` outside quotes.
    private func tagEnd(_ start: Int) -> Int? {
        var quote: UInt8?
        for index in text[start...].indices {
            switch (text[index], quote) {
            case (let byte, let open?): if byte == open { quote = nil }
            case (UInt8(ascii: ">"), nil): return index
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = text[index]
            default: break
            }
        }
        return nil
    }

    /// The attributes of the tag that begins in `range`, counted to `most` + 1, and where it ends: as libxml2 goes
    /// through it, so that a quote is one only behind an equals sign, and values may be missing or without quotes.
    static func tag(_ text: [UInt8], in range: Range<Int>, atMost most: Int) -> (attributes: Int, end: Int) {
        var at = Swift.min(range.lowerBound + 1, range.upperBound), count = 0
        func skip(_ isPassed: (UInt8) -> Bool) { while at < range.upperBound, isPassed(text[at]) { at += 1 } }
        if at < range.upperBound, text[at] == UInt8(ascii: "/") { at += 1 }
        skip { !isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        while true {
            skip { isBlank($0) || $0 == UInt8(ascii: "/") }
            guard at < range.upperBound else { return (count, at) }
            guard text[at] != UInt8(ascii: ">") else { return (count, at + 1) }
            count += 1
            guard count <= most else { return (count, range.upperBound) }
            skip { !isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            skip(isBlank)
            guard at < range.upperBound, text[at] == UInt8(ascii: "=") else { continue }
            at += 1
            skip(isBlank)
            guard at < range.upperBound, text[at] == UInt8(ascii: "\"") || text[at] == UInt8(ascii: "'") else {
                skip { !isBlank($0) && $0 != UInt8(ascii: ">") }
                continue
            }
            let quote = text[at]
            at += 1
            skip { $0 != quote }
            at = Swift.min(at + 1, range.upperBound)
        }
    }

    private func delimited(_ start: Int, from: Int, _ end: String, _ kind: Piece.Kind) -> Piece {
        guard from <= text.count, let found = text[from...].indices.first(where: { Markup.matches(text, at: $0, end) })
        else {
            return Piece(kind: .cut, range: start..<text.count)
        }
        return Piece(kind: kind, range: start..<(found + end.utf8.count))
    }

    /// Whether `word` stands at `index`, ASCII letters in any case; a blank in `word` matches any run of blanks.
    static func matches(_ text: [UInt8], at index: Int, _ word: String) -> Bool {
        var at = index
        for byte in word.utf8 {
            if byte == 0x20 {
                guard at < text.count, isBlank(text[at]) else { return false }
                while at < text.count, isBlank(text[at]) { at += 1 }
                continue
            }
            guard at < text.count, lower(text[at]) == lower(byte) else { return false }
            at += 1
        }
        return true
    }

    /// Whether a start tag of an element with the local name `rsd` stands at `index`.
    static func isRoot(_ text: [UInt8], at index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "<") else { return false }
        let name = text[(index + 1)...].prefix(64).prefix(while: isNameByte)
        return local(String(decoding: name, as: UTF8.self)) == "rsd"
    }

    /// Lower case, without prefix.
    static func local(_ name: some StringProtocol) -> String {
        name.split(separator: ":").last.map { $0.lowercased() } ?? ""
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(lower(byte)) || (0x30...0x39).contains(byte) || byte >= 0x80 || byte == 0x2D
            || byte == 0x2E || byte == 0x5F || byte == 0x3A
    }
}
