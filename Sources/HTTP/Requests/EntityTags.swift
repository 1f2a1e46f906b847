import HTTPTypes
import Hummingbird

/// `If-None-Match` (RFC 9110, 13.1.2; entity tags: 8.8.3).
public enum EntityTags {
    /// Whether the sender has what `etag` stands for. A field that is no list of tags says nothing, so the whole answer
    /// is sent.
    public static func match(_ request: Request, _ etag: String) -> Bool {
        let fields = request.headers[values: .ifNoneMatch]
        guard !fields.isEmpty else { return false }
        // Several fields are one list (RFC 9110, 5.3).
        guard let tags = read(fields.joined(separator: ",")) else { return false }
        return tags == ["*"] || tags.contains(opaque(etag))
    }

    /// Whether a list of tags, as `If-Match` has it, names what `etag` stands for, however weakly. What is no list
    /// names nothing.
    public static func holds(_ field: String, of etag: String) -> Bool {
        guard let tags = read(field) else { return false }
        return tags == ["*"] || tags.contains(opaque(etag))
    }

    /// The tags without their weakness, which does not count here: comparison is weak (8.8.3.2). `["*"]` for the
    /// asterisk; `nil` for what is no list.
    static func read(_ field: String) -> [String]? { list(field, hasWeak: true) }

    private static func list(_ field: String, hasWeak: Bool) -> [String]? {
        var rest = Substring(field).utf8
        func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
        func skip(_ letter: Character) -> Bool {
            guard let code = letter.asciiValue, rest.first == code else { return false }
            rest.removeFirst()
            return true
        }
        skipBlanks()
        if skip("*") {
            skipBlanks()
            return rest.isEmpty ? ["*"] : nil
        }
        var tags: [String] = [], isList = false
        while !rest.isEmpty {
            skipBlanks()
            // Empty elements are to be borne (RFC 9110, 5.6.1.2).
            if skip(",") { continue }
            guard !rest.isEmpty else { break }
            let isWeak = skip("W")
            if isWeak, !skip("/") { return nil }
            guard skip("\"") else { return nil }
            let tag = rest.prefix { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
            rest = rest.dropFirst(tag.count)
            guard skip("\"") else { return nil }
            isList = true
            if hasWeak || !isWeak { tags.append("\"\(Substring(tag))\"") }
            skipBlanks()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        return isList ? tags : nil
    }

    /// The strong tags of `If-Match` (RFC 9110, 13.1.1): a weak one matches nothing there. `["*"]` for the asterisk;
    /// `nil` for what is no list.
    public static func strong(_ field: String) -> [String]? { list(field, hasWeak: false) }

    private static func opaque(_ etag: String) -> String { etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag }
}
