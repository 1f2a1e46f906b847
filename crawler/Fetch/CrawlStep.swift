import Base

/// One request of a crawl, as it is told to whoever wants to know what Pando did.
public struct CrawlStep: Sendable, Equatable {
    public let url: String
    /// The step of the search that asked.
    public let source: CrawlSource
    public let status: Int?
    /// Why this was not the document; `nil` for an answer that was only looked through, and for the document itself.
    public let reason: CrawlReason?
    public let detail: String?
    public let tookMS: Int
    /// Host and port as in `service_document.host`.
    let host: String

    /// Nobody was there, or nobody said anything in time.
    var isSilence: Bool { status == nil && [.unreachable, .timeout, .dns, .tls].contains(reason) }

    /// The same, after the body was read and found wanting.
    func judged(_ failure: CrawlFailure) -> CrawlStep {
        CrawlStep(
            url: url, source: source, status: status, reason: failure.reason, detail: failure.detail, tookMS: tookMS,
            host: host)
    }

    public var json: JSONValue {
        .object([
            "url": .string(url), "source": .string(source.rawValue), "status": status.map(JSONValue.integer) ?? .null,
            "reason": JSONValue(reason?.rawValue), "detail": JSONValue(detail), "took_ms": .integer(tookMS),
        ])
    }
}

/// What a crawl cost.
struct CrawlEffort: Sendable, Equatable {
    var requests = 0
    /// Of bodies, decoded.
    var bytes = 0
    /// Documents read; none when nothing changed.
    var parses = 0
}
