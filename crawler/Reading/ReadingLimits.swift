import Base

/// What a document may contain at most.
enum ReadingLimits {
    static let depth = 32, apis = 200, stringBytes = 8 << 10, nodes = 20_000
    /// In which part of the body the XML must begin.
    static let prologBytes = 4 << 10

    static func exceeded(_ what: String) -> CrawlFailure { CrawlFailure(.limits, what) }

    /// Counts values and measures strings; depth is the reader's.
    static func check(_ value: JSONValue) throws(CrawlFailure) {
        var waiting = [value], count = 0
        while let value = waiting.popLast() {
            count += 1
            guard count <= nodes else { throw exceeded("more than \(nodes) values") }
            switch value {
            case .string(let text): guard text.utf8.count <= stringBytes else { throw exceeded("a string of more than \(stringBytes) bytes") }
            case .array(let items): waiting += items
            case .object(let members):
                guard members.names.allSatisfy({ $0.utf8.count <= stringBytes }) else { throw exceeded("a name of more than \(stringBytes) bytes") }
                waiting += members.map(\.value)
            case .null, .bool, .integer, .number: break
            }
        }
    }
}
