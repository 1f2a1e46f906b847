import Base

/// What a document may contain at most.
enum ReadingLimits {
    static let depth = 32, apis = 200, stringBytes = 8 << 10, nodes = 20_000
    /// Of one start tag: libxml2 holds each attribute against each other.
    static let attributes = 256
    /// Of one object, and of the settings of an api.
    static let members = 500
    /// In which part of the body the XML must begin.
    static let prologBytes = 4 << 10

    static func exceeded(_ what: String) -> CrawlFailure { CrawlFailure(.limits, what) }

    /// Before a parser sees them: tags, and the attributes of each.
    static func check(markup text: [UInt8]) throws(CrawlFailure) {
        var tags = 0
        for piece in Markup(text) {
            switch piece.kind {
            case .start, .cut:
                // A comment or instruction that was cut off has words and no attributes.
                if Markup.matches(text, at: piece.range.lowerBound, "<!")
                    || Markup.matches(text, at: piece.range.lowerBound, "<?")
                {
                    continue
                }
                tags += 1
                guard tags <= nodes else { throw exceeded("more than \(nodes) elements") }
                guard Markup.tag(text, in: piece.range, atMost: attributes).attributes <= attributes else {
                    throw exceeded("more than \(attributes) attributes")
                }
            case .text, .comment, .instruction, .doctype, .characters, .end: break
            }
        }
    }

    /// Counts values and measures strings; depth is the reader's.
    static func check(_ value: JSONValue) throws(CrawlFailure) {
        var waiting = [value], count = 0
        while let value = waiting.popLast() {
            count += 1
            guard count <= nodes else { throw exceeded("more than \(nodes) values") }
            switch value {
            case .string(let text):
                guard text.utf8.count <= stringBytes else {
                    throw exceeded("a string of more than \(stringBytes) bytes")
                }
            case .array(let items): waiting += items
            case .object(let members):
                guard members.members.count <= ReadingLimits.members else {
                    throw exceeded("an object of more than \(ReadingLimits.members) members")
                }
                guard members.names.allSatisfy({ $0.utf8.count <= stringBytes }) else {
                    throw exceeded("a name of more than \(stringBytes) bytes")
                }
                waiting += members.map(\.value)
            case .null, .bool, .integer, .number: break
            }
        }
    }
}
