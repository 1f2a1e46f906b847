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
    public let isDryRun: Bool
    /// Of a dry run, as discovery would give it; `nil` when nothing good was read.
    public let document: JSONValue?
    /// Of a dry run: each request, in order.
    public let trail: [CrawlStep]
    let effort: CrawlEffort

    init(
        service: String, base: String, outcome: Outcome, state: CrawlState, reason: CrawlReason?, detail: String?,
        source: CrawlSource?, documentURL: String?,
        httpStatus: Int?, protocols: [String], added: [String], removed: [String], warnings: [String], tookMS: Int,
        isDryRun: Bool = false,
        document: JSONValue? = nil, trail: [CrawlStep] = [], effort: CrawlEffort = CrawlEffort()
    ) {
        (self.service, self.base, self.outcome, self.state, self.reason, self.detail) = (
            service, base, outcome, state, reason, detail
        )
        (self.source, self.documentURL, self.httpStatus, self.protocols) = (source, documentURL, httpStatus, protocols)
        (self.added, self.removed, self.warnings, self.tookMS) = (added, removed, warnings, tookMS)
        (self.isDryRun, self.document, self.trail, self.effort) = (isDryRun, document, trail, effort)
    }

    /// For the service's operator: what is wrong, and what to do, a sentence each.
    public var advice: [String] {
        (reason.map { [$0.advice] } ?? []) + warnings.compactMap { CrawlWarning(rawValue: $0)?.advice }
    }

    /// The members named in design/crawler.md, "Command line"; a dry run tells what Pando would read, and how it came
    /// by it.
    public var json: JSONValue {
        var members = facts
        guard isDryRun else { return .object(members) }
        members["document"] = document ?? .null
        members["trail"] = .array(trail.map(\.json))
        members["advice"] = JSONValue(strings: advice)
        return .object(members)
    }

    private var facts: JSONObject {
        let told = CrawlWarning.json(warnings)
        return [
            "service": .string(service), "base": .string(base), "outcome": .string(outcome.rawValue),
            "state": .string(state.rawValue),
            "reason": JSONValue(reason?.rawValue), "detail": JSONValue(detail), "source": JSONValue(source?.rawValue),
            "document_url": JSONValue(documentURL), "http_status": httpStatus.map(JSONValue.integer) ?? .null,
            "protocols": JSONValue(strings: protocols), "added": JSONValue(strings: added),
            "removed": JSONValue(strings: removed),
            "warnings": told.warnings, "notices": told.notices, "took_ms": .integer(tookMS),
        ]
    }
}
