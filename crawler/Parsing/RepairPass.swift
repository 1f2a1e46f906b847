/// Turns the text of an RSD document in XML into a tree: strictly, and if that fails once more after five repairs
/// (design/crawler.md, "Reading it"). Whatever is wrong beyond these is `malformed`.
enum RepairPass {
    /// - Parameters:
    ///   - text: UTF-8 without BOM or NUL.
    ///   - start: where the XML declaration or the root begins.
    static func tree(_ text: [UInt8], start: Int) throws(CrawlFailure) -> (root: XMLElement, warnings: [CrawlWarning]) {
        guard !Markup(text).contains(where: { $0.kind == .doctype }) else {
            throw CrawlFailure(.doctype, "a document type declaration")
        }
        guard text.indices.contains(where: { Markup.isRoot(text, at: $0) }) else {
            throw CrawlFailure(.notRSD, "XML without an rsd element")
        }
        switch strictly(withoutDeclaration(text, from: 0)) {
        case .success(let root): return (root, [])
        case .failure(.refused(let failure)): throw failure
        case .failure(.notWellFormed(let first)):
            guard !first.isTooDeep else { throw ReadingLimits.exceeded(first.detail) }
            return try repaired(text, start: start, reason: first.detail)
        }
    }

    private static func repaired(
        _ text: [UInt8], start: Int, reason: String
    ) throws(CrawlFailure) -> (XMLElement, [CrawlWarning]) {
        var warnings: [CrawlWarning] = text.prefix(start).isEmpty ? [] : [.leadingBytes]
        var body = withoutDeclaration(text, from: start)
        if let plain = ampersandsEscaped(body) {
            body = plain
            warnings.append(.bareAmpersand)
        }
        if let end = rootEnd(body) {
            let rest = Array(body[end...])
            let isNothing = Markup(rest).allSatisfy { $0.kind == .comment || $0.kind == .text && $0.isBlank(in: rest) }
            if !isNothing { warnings.append(.trailingBytes) }
            body = Array(body[..<end])
        } else {
            guard let whole = closed(body) else { throw CrawlFailure(.malformed, reason) }
            body = whole
            warnings.append(.truncated)
        }
        switch strictly(body) {
        case .success(let root):
            // A document that was cut must still hold an api; an empty one says nothing.
            guard !warnings.contains(.truncated) || root.descendant("api") != nil else {
                throw CrawlFailure(.malformed, "cut off before its first api ended")
            }
            return (root, warnings)
        case .failure(.refused(let failure)): throw failure
        case .failure(.notWellFormed(let second)):
            throw second.isTooDeep ? ReadingLimits.exceeded(second.detail) : CrawlFailure(.malformed, second.detail)
        }
    }

    private static func strictly(_ text: [UInt8]) -> Result<XMLElement, XMLParser.Trouble> {
        do {
            try ReadingLimits.check(markup: text)
        } catch {
            return .failure(.refused(error))
        }
        do {
            return .success(try XMLParser.parse(text))
        } catch {
            return .failure(error)
        }
    }

    /// The text from `start` on; an XML declaration right there is left out, as the text is UTF-8 by now whatever it
    /// says.
    private static func withoutDeclaration(_ text: [UInt8], from start: Int) -> [UInt8] {
        let rest = Array(text[start...])
        guard Markup.matches(rest, at: 0, "<?xml "), let piece = Markup(rest).makeIterator().next(),
            piece.kind == .instruction
        else { return rest }
        return Array(rest[piece.range.upperBound...])
    }

    /// `&` that starts no predefined or numeric reference becomes `&amp;`, but for comments, CDATA and instructions.
    /// `nil` when there is none.
    private static func ampersandsEscaped(_ text: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = [], found = false
        out.reserveCapacity(text.count + 64)
        for piece in Markup(text) {
            switch piece.kind {
            case .comment, .characters, .instruction, .doctype: out += text[piece.range]
            case .text, .start, .end, .cut:
                for index in piece.range {
                    out.append(text[index])
                    guard text[index] == UInt8(ascii: "&"), !startsReference(text, index) else { continue }
                    out += Array("amp;".utf8)
                    found = true
                }
            }
        }
        return found ? out : nil
    }

    private static func startsReference(_ text: [UInt8], _ index: Int) -> Bool {
        let name = text[(index + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < text.count, text[name.endIndex] == UInt8(ascii: ";") else { return false }
        let word = String(decoding: name, as: UTF8.self)
        if ["amp", "lt", "gt", "quot", "apos"].contains(word) { return true }
        guard word.hasPrefix("#") else { return false }
        let digits = word.dropFirst()
        return digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) != nil : UInt32(digits) != nil
    }

    /// Behind the end tag of the root.
    private static func rootEnd(_ text: [UInt8]) -> Int? {
        for piece in Markup(text) {
            if case .end(let name) = piece.kind, Markup.local(name) == "rsd" { return piece.range.upperBound }
        }
        return nil
    }

    /// The text up to its last whole piece, without an api that was itself cut, and with the missing end tags.
    /// `nil` when an end tag of the root stands somewhere after all, or the tags do not nest.
    private static func closed(_ text: [UInt8]) -> [UInt8]? {
        guard !text.indices.contains(where: { text[$0] == UInt8(ascii: "<") && Markup.matches(text, at: $0, "</rsd") })
        else { return nil }
        var open: [(name: String, at: Int)] = [], end = 0
        for piece in Markup(text) {
            switch piece.kind {
            case .start(let name, closed: false): open.append((name, piece.range.lowerBound))
            case .end(let name): guard open.popLast()?.name == name else { return nil }
            case .text: if piece.range.upperBound == text.count { continue }
            case .cut: continue
            case .comment, .instruction, .doctype, .characters, .start: break
            }
            end = piece.range.upperBound
        }
        if let cut = open.firstIndex(where: { Markup.local($0.name) == "api" }) {
            end = open[cut].at
            open.removeSubrange(cut...)
        }
        guard !open.isEmpty else { return nil }
        return Array(text[..<end]) + open.reversed().flatMap { Array("</\($0.name)>".utf8) }
    }
}
