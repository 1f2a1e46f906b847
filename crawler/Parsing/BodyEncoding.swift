/// The bytes of XML or HTML as text: BOM, HTTP charset, XML declaration, UTF-8, whichever first decodes them;
/// windows-1252 as a last resort.
enum BodyEncoding: String {
    case utf8 = "utf-8", utf16 = "utf-16", ascii = "us-ascii", latin1 = "iso-8859-1", latin9 = "iso-8859-15",
        windows1252 = "windows-1252"

    /// - Returns: UTF-8 without BOM, and whether the last resort was needed.
    /// - Throws: `encoding` for a name that is not known, when it is its turn, and for NUL.
    static func decoded(_ body: [UInt8], charset: String?) throws(CrawlFailure) -> (utf8: [UInt8], guessed: Bool) {
        for name in [charset, declared(in: body), "utf-8"].compactMap({ $0 }) {
            if let text = bom(body) { return (try withoutNUL(text), false) }
            guard let encoding = named(name) else {
                throw CrawlFailure(.encoding, "unknown charset \(name.prefix(40))")
            }
            if let text = encoding.decode(body) { return (try withoutNUL(text), false) }
        }
        return (try withoutNUL(singleBytes(body) { table1252[$0] ?? "\u{FFFD}" } ?? []), true)
    }

    /// For pages, which are only looked through for links: never refused.
    static func page(_ body: [UInt8], charset: String?) -> [UInt8] {
        let encoding = charset.flatMap(named)
        let text =
            bom(body) ?? encoding?.decode(body) ?? utf8.decode(body)
            ?? singleBytes(body) { table1252[$0] ?? "\u{FFFD}" }
        return (text ?? []).map { $0 == 0 ? 0x20 : $0 }
    }

    static func startsWithUTF16Mark(_ body: [UInt8]) -> Bool {
        body.starts(with: [0xFF, 0xFE]) || body.starts(with: [0xFE, 0xFF])
    }

    private static func named(_ name: String) -> BodyEncoding? {
        switch name.lowercased() {
        case "utf-8", "utf8": .utf8
        case "utf-16", "utf16", "utf-16le", "utf-16be": .utf16
        case "us-ascii", "ascii": .ascii
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1": .latin1
        case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin9", "latin-9": .latin9
        case "windows-1252", "cp1252": .windows1252
        default: nil
        }
    }

    private func decode(_ body: [UInt8]) -> [UInt8]? {
        switch self {
        case .utf8: String(validating: body, as: UTF8.self) == nil ? nil : body
        // Known by its mark only.
        case .utf16: nil
        case .ascii: body.allSatisfy { $0 < 0x80 } ? body : nil
        case .latin1: BodyEncoding.singleBytes(body) { Unicode.Scalar($0) }
        case .latin9: BodyEncoding.singleBytes(body) { BodyEncoding.table885915[$0] ?? Unicode.Scalar($0) }
        case .windows1252:
            BodyEncoding.singleBytes(body) {
                BodyEncoding.table1252[$0] ?? ((0x80..<0xA0).contains($0) ? nil : Unicode.Scalar($0))
            }
        }
    }

    private static func bom(_ body: [UInt8]) -> [UInt8]? {
        if body.starts(with: [0xEF, 0xBB, 0xBF]) {
            let rest = Array(body.dropFirst(3))
            return utf8.decode(rest)
        }
        guard startsWithUTF16Mark(body), body.count % 2 == 0 else { return nil }
        let high = body[0] == 0xFE ? 0 : 1
        let units = stride(from: 2, to: body.count, by: 2).map { index -> UInt16 in
            let first = UInt16(body[index + high]), second = UInt16(body[index + 1 - high])
            return first << 8 | second
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }

    /// The encoding that the XML declaration names; the declaration is ASCII in all encodings that could get here.
    private static func declared(in body: [UInt8]) -> String? {
        let head = body.prefix(ReadingLimits.prologBytes).map { $0 < 0x80 ? $0 : 0x3F }
        // The first only: a search at each of them would take squares of time.
        let opening = UInt8(ascii: "<")
        guard let start = head.indices.first(where: { head[$0] == opening && Markup.matches(head, at: $0, "<?xml ") })
        else { return nil }
        return named(in: head[start...].prefix { $0 != UInt8(ascii: ">") })
    }

    /// The first `encoding = "name"`, with blanks around the sign and quotes of either kind.
    private static func named(in declaration: ArraySlice<UInt8>) -> String? {
        let word = Array("encoding".utf8)
        for start in declaration.indices where declaration[start...].starts(with: word) {
            var rest = declaration[start...].dropFirst(word.count).drop(while: Markup.isBlank)
            guard rest.popFirst() == UInt8(ascii: "=") else { continue }
            rest = rest.drop(while: Markup.isBlank)
            guard let open = rest.popFirst(), isQuote(open) else { continue }
            let name = rest.prefix(while: isNameByte)
            guard !name.isEmpty, let close = rest[name.endIndex...].first, isQuote(close) else { continue }
            return String(decoding: name, as: UTF8.self)
        }
        return nil
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func withoutNUL(_ text: [UInt8]) throws(CrawlFailure) -> [UInt8] {
        guard !text.contains(0) else { throw CrawlFailure(.encoding, "a NUL character") }
        return text
    }

    private static func singleBytes(_ body: [UInt8], _ scalar: (UInt8) -> Unicode.Scalar?) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(body.count + body.count / 8)
        for byte in body {
            if byte < 0x80 {
                out.append(byte)
                continue
            }
            guard let scalar = scalar(byte) else { return nil }
            out += UTF8.encode(scalar).map(Array.init) ?? []
        }
        return out
    }

    private static let table1252: [UInt8: Unicode.Scalar] = {
        let high: [Unicode.Scalar?] = [
            "€", nil, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", nil, "Ž", nil,
            nil, "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", nil, "ž", "Ÿ",
        ]
        var table: [UInt8: Unicode.Scalar] = [:]
        for (index, scalar) in high.enumerated() { table[0x80 + UInt8(index)] = scalar }
        for byte in UInt8(0xA0)...0xFF { table[byte] = Unicode.Scalar(byte) }
        return table
    }()

    private static let table885915: [UInt8: Unicode.Scalar] = [
        0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]
}
