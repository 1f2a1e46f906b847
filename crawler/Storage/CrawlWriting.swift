import Base
import Database
import Federation
import Foundation
import Vocabulary

/// A verdict to be written, and whose it is.
struct CrawlWriting: Sendable {
    let verdict: CrawlVerdict
    let target: CrawlTarget
    let started: Date
    let news: HostNews?
    let now: Date

    /// Verdicts of different services in one transaction, each with everything that follows from it.
    /// - Returns: whether each was written. A later crawl's verdict is not overwritten, and a service that was
    ///   suspended, or moved elsewhere, meanwhile is left alone.
    static func write(_ writings: [CrawlWriting], in database: Database) async throws -> [Bool] {
        try await database.transaction { tx in
            let rows = try await tx.query(CrawlWriting.lock(writings))
            var open: [String: Row] = [:]
            for row in rows { open[try row("service")] = row }
            var batch = CrawlStatements()
            for writing in CrawlWriting.ordered(writings) {
                if let before = open[writing.target.service] {
                    try batch.add(writing, before: before)
                } else {
                    batch.release(writing.target)
                }
            }
            _ = try await tx.batch(batch.all)
            return writings.map { open[$0.target.service] != nil }
        }
    }

    /// The rows that may be written, locked in one order everywhere. An empty `rsd` is none.
    private static func lock(_ writings: [CrawlWriting]) -> SQL {
        let targets = writings.map(\.target)
        return """
            select s.id as service, d.state, d.reason, s.token_endpoint, s.revocation_endpoint
            from unnest(\(targets.map(\.service))::text[], \(targets.map(\.base))::text[],
                    \(targets.map { $0.rsd ?? "" })::text[], \(writings.map(\.started))::timestamptz[])
                    as w (id, base, rsd, started)
                join service s on s.id = w.id join service_document d on d.service = s.id
            where s.status not in ('suspended', 'removed') and s.base = w.base and coalesce(s.rsd, '') = w.rsd
                and (d.last_try is null or d.last_try <= w.started)
            order by s.id for no key update of s, d
            """
    }

    /// In one order everywhere by what several transactions may make at once: a set of names.
    private static func ordered(_ writings: [CrawlWriting]) -> [CrawlWriting] {
        guard writings.count > 1 else { return writings }
        let keyed = writings.map { writing -> (CrawlWriting, [String]) in
            let isNew = writing.verdict.document != nil
            return (writing, isNew ? ProtocolName.offered(by: writing.verdict.protocols).sorted() : [])
        }
        return keyed.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    var row: SQL {
        let lastOK = verdict.failure == nil ? started : target.lastOK
        let lastSearch = verdict.searched ? now : target.lastSearch
        let forgottenAt = verdict.failure == nil ? nil : target.forgottenAt
        return """
            update service_document set state = \(verdict.state.rawValue),
                reason = \(verdict.failure?.reason.rawValue as String?),
                detail = \(verdict.failure?.detail as String?), warnings = \(verdict.warnings),
                    source = \(verdict.source?.rawValue as String?),
                document_url = \(verdict.documentURL as String?), http_status = \(verdict.httpStatus as Int?),
                    hash = \(verdict.hash as [UInt8]?),
                etag = \(verdict.validators.etag as String?), last_modified =
                    \(verdict.validators.lastModified as String?),
                ttl_s = \(verdict.ttl as Int?), last_try = \(started), last_ok = \(lastOK as Date?),
                    last_search = \(lastSearch as Date?),
                next_try = \(verdict.nextTry), failures = \(verdict.failures), forgotten_at = \(forgottenAt as Date?),
                claimed_until = case when claimed_until = \(target.claimedUntil as Date?) then null
                    else claimed_until end
            where service = \(target.service)
            """
    }

    func audit(_ move: EndpointMove?) -> SQL {
        var detail: JSONObject = [
            "added": JSONValue(strings: verdict.added), "removed": JSONValue(strings: verdict.removed),
        ]
        for (name, change) in move?.changes ?? [] {
            detail[name] = ["from": JSONValue(change.from), "to": JSONValue(change.to)]
        }
        return """
            insert into audit (at, actor, action, node, outcome, detail)
            values (\(now), 'crawler', 'crawl.changed', \("service:" + target.service), 'done',
                \(JSONValue.object(detail)))
            """
    }
}

/// The statements of one transaction. What they all want is wanted once, and hosts come last.
struct CrawlStatements {
    private var each: [SQL] = []
    /// The first statement of every listing: a lock.
    private var locked: SQL?
    private var changed: [String] = []
    private var told: [CrawlWriting] = []

    mutating func add(_ writing: CrawlWriting, before: Row) throws(DatabaseError) {
        let verdict = writing.verdict, target = writing.target, now = writing.now
        let state: String = try before("state"), reason: String? = try before("reason")
        let move = EndpointMove(
            token: try before("token_endpoint"), revocation: try before("revocation_endpoint"), to: verdict.endpoints)
        let wasShown = CrawlState(rawValue: state)?.isDiscoverable == true
        each.append(writing.row)
        if let document = verdict.document {
            // It touches the service, and tells of it.
            let put = ServiceListing.put(document.json, protocols: verdict.protocols, of: target.service, at: now)
            each += locked == put.first ? Array(put.dropFirst()) : put
            locked = put.first
        } else {
            if state != verdict.state.rawValue { each.append(ServiceListing.touch(target.service, at: now)) }
            if move != nil || wasShown != verdict.state.isDiscoverable {
                each.append("select pg_notify(\(ServiceIndex.channel), \(target.service))")
            }
        }
        if let move { each.append(move.statement(for: target.service, at: now)) }
        if verdict.document != nil || move != nil {
            each += [writing.audit(move), Hearing.ask("s.id = \(target.service)", at: now)]
        }
        if verdict.document != nil || move != nil || state != verdict.state.rawValue
            || reason != verdict.failure?.reason.rawValue
        {
            each.append(CrawlHistory.write(verdict, of: target, from: state, moved: move?.text, at: now))
            changed.append(target.service)
        }
        if writing.news != nil, !target.host.isEmpty { told.append(writing) }
    }

    /// Ends a claim without a verdict.
    mutating func release(_ target: CrawlTarget) {
        each.append(
            """
            update service_document set claimed_until = null where service = \(target.service)
                and claimed_until = \(target.claimedUntil as Date?)
            """)
    }

    var all: [SQL] { each + (changed.isEmpty ? [] : [CrawlHistory.forgetOld(changed)]) + hosts }

    /// In one order everywhere. A host of which all tell that it answers is forgotten with others of its kind.
    private var hosts: [SQL] {
        let byHost = Dictionary(grouping: told, by: \.target.host)
        let answering = byHost.filter { $0.value.allSatisfy { $0.news == .answers } }.keys.sorted()
        var statements: [SQL] = answering.isEmpty ? [] : [CrawlStore.forget(hosts: answering)]
        for host in byHost.keys.sorted() where !answering.contains(host) {
            for writing in byHost[host] ?? [] {
                guard let news = writing.news else { continue }
                statements += CrawlStore.tell(news, of: writing.target, started: writing.started, now: writing.now)
            }
        }
        return statements
    }
}
