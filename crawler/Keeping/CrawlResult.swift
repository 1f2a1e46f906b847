import Base

/// What one crawl of one service came to.
public struct CrawlResult: Sendable, Equatable {
    public enum Outcome: String, Sendable { case changed, unchanged, failed }

    public let service: String
    public let base: String
    public let outcome: Outcome
    public let state: CrawlState
    /// `nil` when good.
    public let reason: CrawlReason?
    /// One line for people.
    public let detail: String?
    public let source: CrawlSource?
    public let documentURL: String?
    public let httpStatus: Int?
    /// As written in the document, sorted, without mapped names.
    public let protocols: [String]
    public let added: [String]
    public let removed: [String]
    public let warnings: [String]
    public let tookMS: Int

    /// The members named in design/crawler.md, "Command line".
    public var json: JSONValue {
        .object([
            "service": .string(service), "base": .string(base), "outcome": .string(outcome.rawValue), "state": .string(state.rawValue),
            "reason": JSONValue(reason?.rawValue), "detail": JSONValue(detail), "source": JSONValue(source?.rawValue),
            "document_url": JSONValue(documentURL), "http_status": httpStatus.map(JSONValue.integer) ?? .null,
            "protocols": JSONValue(strings: protocols), "added": JSONValue(strings: added), "removed": JSONValue(strings: removed),
            "warnings": JSONValue(strings: warnings), "took_ms": .integer(tookMS),
        ])
    }
}
