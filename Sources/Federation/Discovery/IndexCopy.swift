import Base
import Database
import Foundation
import Logging
import Vocabulary

/// The list of another server's federation, kept beside (docs/roles-apart.md): asked for by pages, as any mirror does
/// (`GET ISS/federation/services`), so that discovery here answers what discovery there would.
///
/// * Every `interval` seconds it asks what has changed since the newest that it has, with a minute of overlap, since a
///   change may be committed a little after the time that it has.
/// * At the start and once an hour it reads the whole list: what is in it no more is not active any more, whatever was
///   missed. That may take minutes, so what has changed since it began is read behind it.
/// * What was read stands, however long the issuer is away: it issues no assertion for a service that it has suspended
///   meanwhile, so an old answer leads nobody in.
public struct IndexCopy: Sendable {
    /// A page of the issuer's list, with these parameters.
    public typealias Fetch = @Sendable ([(String, String)]) async throws -> JSONObject

    static let wholeEvery: TimeInterval = 3_600
    static let overlap: TimeInterval = 60
    /// Days for which it is told that a service is gone.
    static let tombstones: TimeInterval = 400 * 86_400
    static let page = 100
    /// No list is longer: a cursor that goes round ends here.
    static let mostPages = 10_000

    struct Unreadable: Error, CustomStringConvertible { let description: String }

    let database: Database
    let interval: TimeInterval
    let fetch: Fetch
    let clock: WallClock
    let logger: Logger

    public init(
        database: Database, interval: TimeInterval, clock: WallClock, logger: Logger, fetch: @escaping Fetch
    ) {
        (self.database, self.interval, self.fetch) = (database, interval, fetch)
        (self.clock, self.logger) = (clock, logger)
    }

    /// Until cancelled. Tells of a failure once, and again when it is another one.
    public func run() async {
        var whole: Date?, told: String?
        while !Task.isCancelled {
            do {
                let now = clock.now()
                if let last = whole, now.timeIntervalSince(last) < IndexCopy.wholeEvery {
                    try await readChanges()
                } else {
                    try await readAll()
                    whole = now
                }
                if told != nil { logger.notice("the issuer's list of services is read again") }
                told = nil
            } catch is CancellationError {
                return
            } catch {
                if told != "\(error)" {
                    logger.warning(
                        "the issuer's list of services cannot be read: what was read last is answered",
                        metadata: ["error": "\(error)"])
                }
                told = "\(error)"
            }
            try? await Task.sleep(for: .seconds(interval))
        }
    }

    /// The whole list, in place of what was there.
    public func readAll() async throws {
        let begun = try await newest() ?? clock.now()
        var seen: [String] = []
        try await pages(nil) { seen += $0.map(\.id) }
        let now = clock.now(), known = seen
        try await database.transaction { transaction in
            let gone = try await transaction.query(
                """
                update copied_service set status = 'removed', state = 'pending', document_text = null,
                    protocol_set = null, protocols = '{}', offered = '{}', changed_at = \(now)
                where status = 'active' and id <> all (\(known)) returning id
                """)
            let old = now.addingTimeInterval(-IndexCopy.tombstones)
            _ = try await transaction.execute(
                "delete from copied_service where status = 'removed' and changed_at < \(old)")
            try await tell(gone, in: transaction)
        }
        try await readChanges(since: begun)
    }

    /// What has changed since what was read last.
    public func readChanges() async throws {
        guard let newest = try await newest() else { return try await readAll() }
        try await readChanges(since: newest)
    }

    private func readChanges(since time: Date) async throws {
        try await pages(time.addingTimeInterval(-IndexCopy.overlap)) { _ in }
    }

    /// By the issuer's clock, which may be another than this one: so not of what was found to be gone here, and nothing
    /// that lies ahead, behind which no change would be seen.
    private func newest() async throws -> Date? {
        let row = try await database.query(
            "select max(changed_at) as newest from copied_service where status <> 'removed'"
        ).first
        return try row.flatMap { try $0("newest", as: Date?.self) }.map { min($0, clock.now()) }
    }

    private func pages(_ since: Date?, each: ([CopiedService]) -> Void) async throws {
        var cursor: String?
        for _ in 0..<IndexCopy.mostPages {
            var query = [("documents", "true"), ("limit", "\(IndexCopy.page)")]
            if let since { query.append(("updated_since", since.rfc3339)) }
            if let cursor { query.append(("after", cursor)) }
            let answer = try await fetch(query)
            guard let items = answer["items"]?.array else { throw Unreadable(description: "the list has no items") }
            let services = try items.map { try CopiedService($0) }
            try await put(services)
            each(services)
            guard let next = answer["next"]?.string else { return }
            guard next != cursor else { break }
            cursor = next
        }
        throw Unreadable(description: "the list has no end")
    }

    /// What is as it was is not written, and nobody is told of it.
    private func put(_ services: [CopiedService]) async throws {
        guard !services.isEmpty else { return }
        try await database.transaction { transaction in
            let found = services.filter { $0.document != nil }
            let sets =
                ["select pg_advisory_xact_lock_shared(\(ServiceListing.lock))"] as [SQL]
                + found.map { ServiceListing.make($0.offered) }
            let results = try await transaction.batch(sets + services.map(\.statement))
            try await tell(results.dropFirst(sets.count).flatMap { $0 }, in: transaction)
        }
    }

    private func tell(_ changed: [Row], in transaction: any SQLExecutor) async throws {
        guard let id: String = try changed.first?("id") else { return }
        _ = try await transaction.query("select pg_notify(\(ServiceIndex.channel), \(id))")
    }
}

/// An item of the list.
struct CopiedService: Sendable {
    let id: String
    let name: String
    let base: String
    let status: FederationService.Status
    let state: String
    let document: JSONValue?
    let protocols: [String]
    let offered: [String]
    let warnings: [String]
    let lastOK: Date?
    let changedAt: Date

    /// Throws for what is no item of such a list: then it is no list of such a server.
    init(_ item: JSONValue) throws {
        guard let id = item["id"]?.string, (1...255).contains(id.utf8.count), !id.utf8.contains(0),
            let base = item["base"]?.string.flatMap({ WebAddress($0) }),
            let status = item["status"]?.string.flatMap({ FederationService.Status(rawValue: $0) }),
            status != .pending, let changedAt = item["updated_at"]?.string.flatMap({ Date(rfc3339: $0) })
        else { throw IndexCopy.Unreadable(description: "an item has no id, base, status or updated_at") }
        (self.id, self.base, self.status, self.changedAt) = (id, base.withoutQuery, status, changedAt)
        name = CopiedService.text(item["name"]) ?? id
        state = CopiedService.text(item["state"]) ?? "pending"
        protocols = (item["protocols"]?.strings ?? []).filter { !$0.utf8.contains(0) }
        warnings = (item["warnings"]?.strings ?? []).filter { !$0.utf8.contains(0) }
        lastOK = item["last_ok"]?.string.flatMap { Date(rfc3339: $0) }
        document = status == .active ? item["document"].flatMap { $0.object == nil ? nil : $0 } : nil
        offered = document == nil ? [] : ProtocolName.offered(by: protocols)
    }

    /// PostgreSQL takes no NUL in a text.
    private static func text(_ value: JSONValue?) -> String? { value?.string?.filter { $0 != "\0" } }

    /// Gives its id where it is new, or another one than it was.
    var statement: SQL {
        let set: SQL =
            document == nil
            ? "null::bigint"
            : "(select p.id from protocol_set p where p.digest = \(ServiceListing.digest(of: offered)))"
        return """
            insert into copied_service as c (id, name, base, status, state, document_text, protocols, offered,
                protocol_set, warnings, last_ok, changed_at)
            values (\(id), \(name), \(base), \(status), \(state), \(document?.text), \(protocols), \(offered), \(set),
                \(warnings), \(lastOK), \(changedAt))
            on conflict (id) do update set name = excluded.name, base = excluded.base, status = excluded.status,
                state = excluded.state, document_text = excluded.document_text, protocols = excluded.protocols,
                offered = excluded.offered, protocol_set = excluded.protocol_set, warnings = excluded.warnings,
                last_ok = excluded.last_ok, changed_at = excluded.changed_at
            where (c.name, c.base, c.status, c.state, c.document_text, c.warnings, c.changed_at)
                is distinct from (excluded.name, excluded.base, excluded.status, excluded.state,
                    excluded.document_text, excluded.warnings, excluded.changed_at)
            returning c.id
            """
    }
}
