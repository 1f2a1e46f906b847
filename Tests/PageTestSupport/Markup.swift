/// The tags of a page, read byte by byte as a browser reads them: enough of HTML to see what came out.
public struct Markup {
    public struct Tag: Equatable, Sendable {
        public let name: String, attributes: [String: String]

        public init(name: String, attributes: [String: String]) { (self.name, self.attributes) = (name, attributes) }

        /// It would run a script.
        public var hasHandler: Bool { attributes.keys.contains { $0.hasPrefix("on") } }
    }

    /// Opening tags, and closing ones as "/form".
    public let tags: [Tag]
    /// What is no well-made tag: an attribute without quotation marks, an odd name, a tag that does not end.
    public let rubbish: [String]

    public init(_ html: String) {
        var reader = Reader(bytes: Array(html.utf8))
        var tags: [Tag] = [], rubbish: [String] = []
        while reader.skip(to: "<") {
            reader.at += 1
            if reader.peek == UInt8(ascii: "!") { continue }
            let name = reader.word()
            if name.isEmpty {
                rubbish.append("<")
                continue
            }
            var attributes: [String: String] = [:]
            while let byte = reader.peek, byte != UInt8(ascii: ">") {
                if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "/") {
                    reader.at += 1
                    continue
                }
                let key = reader.word()
                if key.isEmpty {
                    rubbish.append("\(name): byte \(byte)")
                    reader.at += 1
                } else if reader.take("=\"") {
                    let start = reader.at
                    if !reader.skip(to: "\"") { rubbish.append("\(name): \(key) does not end") }
                    attributes[key] = String(decoding: reader.bytes[start..<reader.at], as: UTF8.self)
                    reader.at = min(reader.at + 1, reader.bytes.count)
                } else {
                    attributes[key] = ""
                }
            }
            tags.append(Tag(name: name, attributes: attributes))
        }
        (self.tags, self.rubbish) = (tags, rubbish)
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

        mutating func skip(to character: Unicode.Scalar) -> Bool {
            at = bytes[at...].firstIndex(of: UInt8(ascii: character)) ?? bytes.count
            return at < bytes.count
        }

        mutating func take(_ text: String) -> Bool {
            guard bytes[at...].starts(with: text.utf8) else { return false }
            at += text.utf8.count
            return true
        }

        mutating func word() -> String {
            let start = at
            if at < bytes.count, bytes[at] == UInt8(ascii: "/") { at += 1 }
            while let byte = peek,
                byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte >= 48 && byte <= 57 || byte == 45 || byte == 58
            { at += 1 }
            return String(decoding: bytes[start..<at], as: UTF8.self)
        }
    }

    /// Tags and the names of their attributes, without any value: what a hostile name must not change.
    public var skeleton: [String] { tags.map { $0.name + " " + $0.attributes.keys.sorted().joined(separator: ",") } }

    public func all(_ names: String...) -> [Tag] { tags.filter { names.contains($0.name) } }

    /// Where forms post whose button does it at once: they are in no `details`, behind whose button a question stands.
    public var unasked: [String] {
        var depth = 0, found: [String] = []
        for tag in tags {
            switch tag.name {
            case "details": depth += 1
            case "/details": depth -= 1
            case "form" where depth == 0: found.append(tag.attributes["action"] ?? "")
            default: break
            }
        }
        return found
    }

    /// Each form with the fields that are between it and its end.
    public var forms: [(tag: Tag, fields: [Tag])] {
        tags.indices.filter { tags[$0].name == "form" }.map { start in
            (
                tags[start],
                tags[start...].prefix { $0.name != "/form" }.filter { ["input", "button"].contains($0.name) }
            )
        }
    }
}
