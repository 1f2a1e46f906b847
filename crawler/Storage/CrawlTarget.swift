import Base
import Database
import Foundation
import Vocabulary

/// What is known about a service before a crawl: its row in the index and the one of its document.
struct CrawlTarget: Sendable {
    let service: String
    let name: String
    let base: String
    /// The registered document URL.
    let rsd: String?
    let isSuspended: Bool
    let allowsLoopback: Bool
    let state: CrawlState
    let document: JSONValue?
    let protocols: [String]
    let warnings: [String]
    let source: CrawlSource?
    let documentURL: String?
    let hash: [UInt8]?
    let validators: Validators
    let ttl: Int?
    let lastOK: Date?
    let lastSearch: Date?
    let failures: Int
    /// Host and port that the search begins at.
    let host: String
    /// Of the claim under which this was read, if any; whose it is, nobody else's verdict ends it.
    let claimedUntil: Date?
    /// Failed for so long that its document was deleted: asked for weekly.
    let forgottenAt: Date?

    /// One of which nothing is known: it is in no index.
    init(base: String, rsd: String?, allowsLoopback: Bool) {
        (service, name, self.base, self.rsd, self.allowsLoopback) = ("", base, base, rsd, allowsLoopback)
        (isSuspended, state, document, protocols, warnings, source) = (false, .pending, nil, [], [], nil)
        (documentURL, hash, validators, ttl, lastOK) = (nil, nil, Validators(), nil, nil)
        (lastSearch, failures, claimedUntil, forgottenAt) = (nil, 0, nil, nil)
        host = (try? WebURL(base))?.hostAndPort ?? ""
    }

    init(_ row: Row) throws(DatabaseError) {
        service = try row("service")
        name = try row("name")
        base = try row("base")
        rsd = try row("rsd")
        let status: String = try row("status")
        isSuspended = status == "suspended" || status == "removed"
        allowsLoopback = try row("allow_loopback")
        state = CrawlState(rawValue: try row("state")) ?? .pending
        document = try row("document")
        protocols = try row("protocols")
        warnings = try row("warnings")
        let source: String? = try row("source")
        self.source = source.flatMap(CrawlSource.init)
        documentURL = try row("document_url")
        hash = try row("hash")
        validators = Validators(etag: try row("etag"), lastModified: try row("last_modified"))
        ttl = try row("ttl_s")
        lastOK = try row("last_ok")
        lastSearch = try row("last_search")
        failures = try row("failures")
        (host, claimedUntil, forgottenAt) = (try row("host"), try row("claimed_until"), try row("forgotten_at"))
    }

    static let columns: SQL = """
        s.id as service, s.name, s.base, s.rsd, s.status, s.allow_loopback, d.state, d.document, d.protocols, \
        d.warnings, d.source,
        d.document_url, d.hash, d.etag, d.last_modified, d.ttl_s, d.last_ok, d.last_search, d.failures, d.host,
        d.claimed_until, d.forgotten_at
        """
}

/// Health, in the words of design/crawler.md.
public enum CrawlState: String, Sendable, CaseIterable {
    case pending, ok, degraded, stale, failed, gone, suspended

    /// Whether discovery shows the last good document.
    public var isDiscoverable: Bool { self == .ok || self == .degraded || self == .stale }
}

/// How a document was found.
public enum CrawlSource: String, Sendable, CaseIterable {
    case registered, base, linkHeader = "link-header", html, servicesText = "services.txt", fallback
}
