/// What a body is, read from the body and never from its content type.
enum BodyKind: Equatable {
    case json
    case html
    /// The offset at which the XML declaration or the root begins, in the first 4 KiB.
    case xml(start: Int)
    case other

    /// - Parameter text: UTF-8 without BOM.
    init(_ text: [UInt8]) {
        let head = text.prefix(ReadingLimits.prologBytes)
        let first = head.firstIndex { !Markup.isBlank($0) } ?? head.endIndex
        if first < head.endIndex, head[first] == UInt8(ascii: "{") || head[first] == UInt8(ascii: "[") {
            self = .json
        } else if BodyKind.beginsAsHTML(text) {
            self = .html
        } else if let start = BodyKind.xmlStart(head) {
            self = .xml(start: start)
        } else {
            self = .other
        }
    }

    /// `<!doctype html` or an `html` root, behind nothing but blanks, an XML declaration and comments.
    private static func beginsAsHTML(_ text: [UInt8]) -> Bool {
        for piece in Markup(text) {
            switch piece.kind {
            case .text: if !piece.isBlank(in: text) { return false }
            case .comment, .instruction: continue
            case .doctype: return Markup.matches(text, at: piece.range.lowerBound + 9, " html")
            case .start(let name, _): return Markup.local(name) == "html"
            case .end, .characters, .cut: return false
            }
        }
        return false
    }

    private static func xmlStart(_ head: ArraySlice<UInt8>) -> Int? {
        let text = Array(head)
        for index in text.indices where text[index] == UInt8(ascii: "<") {
            if Markup.matches(text, at: index, "<html") { return nil }
            if Markup.matches(text, at: index, "<?xml"), index + 5 < text.count,
                Markup.isBlank(text[index + 5]) || text[index + 5] == UInt8(ascii: "?")
            {
                return index
            }
            if Markup.isRoot(text, at: index) { return index }
        }
        return nil
    }
}
