import Base
import Foundation
import Vocabulary

/// What a crawl means for a service's row: a pure function of what was known and what was brought home.
struct CrawlVerdict: Sendable {
    let outcome: CrawlResult.Outcome
    let state: CrawlState
    /// The new document; `nil` leaves the stored one as it is.
    let document: ServiceDocument?
    let protocols: [String]
    let warnings: [String]
    let failure: CrawlFailure?
    let source: CrawlSource?
    let documentURL: String?
    let httpStatus: Int?
    let hash: [UInt8]?
    let validators: Validators
    /// As sent, but for what is too long; kept to its bounds when the next crawl is planned.
    let ttl: Int?
    let failures: Int
    let nextTry: Date
    let searched: Bool
    let added: [String]
    let removed: [String]
    /// By the document that is shown now; `nil` when nothing good was read.
    let endpoints: ServiceEndpoints?

    /// A document, new or the same. It counts as changed when what discovery shows is another: the hash alone may
    /// differ by a time stamp in a comment.
    init(_ found: Found, of target: CrawlTarget, searched: Bool, now: Date, schedule: CrawlSchedule) {
        let read: ReadDocument? = if case .read(let read) = found.body { read } else { nil }
        let isChanged = read.map { $0.document.json != target.document || $0.protocols != target.protocols } ?? false
        let isNotModified = found.answer.status == 304
        document = isChanged ? read?.document : nil
        let names = read?.protocols ?? target.protocols
        protocols = names
        warnings = read?.warnings.map(\.rawValue) ?? target.warnings
        state = warnings.contains { CrawlWarning(rawValue: $0)?.isRepair == true } ? .degraded : .ok
        outcome = isChanged ? .changed : .unchanged
        failure = nil
        source = found.source
        documentURL = found.answer.lastingURL.description
        httpStatus = found.answer.status
        hash = found.hash
        let headers = found.answer.headers
        func kept(_ name: String, _ known: String?) -> String? {
            // What another URL said is none of this one's; and nobody needs more than a KiB.
            guard found.answer.lastingURL == found.answer.url else { return nil }
            return headers.first(name: name).flatMap { $0.utf8.count <= 1_024 ? $0 : nil }
                ?? (isNotModified ? known : nil)
        }
        validators = Validators(
            etag: kept("ETag", target.validators.etag),
            lastModified: kept("Last-Modified", target.validators.lastModified))
        ttl = found.ttl ?? found.answer.maxAge ?? (isNotModified ? target.ttl : nil)
        failures = 0
        nextTry = schedule.next(after: now, ttl: ttl ?? CrawlSchedule.standardTTL)
        self.searched = searched
        added = isChanged ? names.filter { !target.protocols.contains($0) } : []
        removed = isChanged ? target.protocols.filter { !names.contains($0) } : []
        let shown = read?.document ?? target.document.flatMap { ServiceDocument(json: $0) }
        endpoints = shown.map { ServiceEndpoints($0, base: target.base) }
    }

    /// Nothing found: the last good document stays, and is shown until it is too old.
    init(_ search: SearchFailure, of target: CrawlTarget, staleMax: TimeInterval, now: Date, schedule: CrawlSchedule) {
        let isYoung = target.document != nil && (target.lastOK.map { now.timeIntervalSince($0) < staleMax } ?? false)
        // Once gone, a later trouble of another kind does not bring it back.
        let isGone = search.isGone || target.state == .gone
        state = isGone ? .gone : isYoung ? .stale : .failed
        outcome = .failed
        document = nil
        protocols = target.protocols
        warnings = target.warnings
        failure = search.failure
        source = target.source
        documentURL = target.documentURL
        httpStatus = search.failure.status
        hash = target.hash
        validators = target.validators
        ttl = target.ttl
        failures = target.failures + 1
        nextTry =
            target.forgottenAt == nil
            ? schedule.next(after: now, failures: failures, retryAfter: search.failure.retryAfter)
            : schedule.next(after: now, ttl: CrawlSchedule.longestTTL)
        searched = search.searched
        added = []
        removed = []
        endpoints = nil
    }

    /// What was noticed while reading, and what the document says that is not acted upon.
    var told: [String] {
        warnings + (endpoints?.isForeign == true ? [CrawlWarning.foreignEndpoint.rawValue] : [])
            + (failure == nil ? CrawlWarning.missing(in: protocols).map(\.rawValue) : [])
    }

    /// A dry run tells of `reading` too: what was asked, and the document as discovery would give it. What came of
    /// other crawls is in the database, and who keeps many results keeps small ones.
    func result(of target: CrawlTarget, _ reading: CrawlReading, isDryRun: Bool, tookMS: Int) -> CrawlResult {
        CrawlResult(
            service: target.service, base: target.base, outcome: outcome, state: state, reason: failure?.reason,
            detail: failure?.detail,
            source: failure == nil ? source : nil, documentURL: failure == nil ? documentURL : nil,
            httpStatus: httpStatus,
            protocols: state.isDiscoverable ? protocols : [], added: added, removed: removed,
            warnings: failure == nil ? told : [], tookMS: tookMS, isDryRun: isDryRun,
            document: isDryRun && failure == nil ? document?.json ?? target.document : nil,
            trail: isDryRun ? reading.trail : [], effort: reading.effort)
    }
}
