import Base
import Database
import Foundation

/// Gives the lines of the audit trail their places in the hash chain, after they were committed: who writes them waits
/// for nothing. One process at a time, in batches.
///
/// The order of the chain is that in which lines were found, by their ids within a round. Ids are handed out before
/// lines are committed, so a line may come to light behind one of a greater id: it gets the next place. Up to `settled`
/// no line can come any more, as each transaction that was under way when these ids were there has ended; who finds one
/// without a place there later has found one that was put in (`AuditCheck`).
///
/// A line belongs to the day of its time, but never to one before that of the line before it, nor to one that has not
/// begun.
public struct AuditChain: Sendable {
    static let batch = 1_000
    /// Batches of a round; the next goes on.
    static let rounds = 500
    /// Between the moment at which an id is taken and that at which PostgreSQL counts the transaction as one that
    /// writes lies part of one statement; a minute is more.
    static let margin: TimeInterval = 60
    private static let lock = NodeID(digestOf: "audit chain").lockNumber
    private static let name = "audit.chain"

    let database: Database
    let clock: WallClock

    public init(database: Database, clock: WallClock) { (self.database, self.clock) = (database, clock) }

    /// Every fifteen seconds; a database that is away is tried again.
    public func watch(_ warn: @Sendable (any Error) -> Void) async {
        while !Task.isCancelled {
            do { try await round() } catch { warn(error) }
            try? await Task.sleep(for: .seconds(15))
        }
    }

    /// All that is there; how many lines got their place.
    @discardableResult
    public func round() async throws -> Int {
        let start = try await AuditHorizon.read(AuditChain.name, in: database)
        var cursor = start.settled, chained = 0
        for _ in 0..<AuditChain.rounds {
            let from = cursor
            let found = try await database.atomically { try await self.step(after: from, in: $0) }
            guard let found else { return chained }
            chained += found.count
            if let last = found.last { cursor = last }
            if found.count < AuditChain.batch {
                try await start.move(AuditChain.name, at: clock.now(), in: database)
                return chained
            }
        }
        return chained
    }

    public func waiting() async throws -> Int { try await AuditChain.waiting(in: database) }

    /// Lines that no place was given to yet.
    static func waiting(in executor: any SQLExecutor) async throws -> Int {
        let settled = try await AuditHorizon.read(name, in: executor).settled
        return try await executor.query(
            """
            select count(*) as number from audit a
            where a.id > \(settled)
                and not exists (select from audit_link k where k.line = a.id and k.line > \(settled))
            """
        ).first.map { try $0("number") } ?? 0
    }

    /// Up to where each line has its place.
    static func settled(in executor: any SQLExecutor) async throws -> Int64 {
        try await AuditHorizon.read(name, in: executor).settled
    }

    /// Ids of the lines of one batch; `nil` where another process is at it.
    private func step(after cursor: Int64, in transaction: any SQLExecutor) async throws -> [Int64]? {
        let locked = try await transaction.query("select pg_try_advisory_xact_lock(\(AuditChain.lock)) as is_ours")
        guard try locked.first?("is_ours", as: Bool.self) == true else { return nil }
        // `k.line > …` says nothing new: without it, places are read from the very first on.
        let lines = try await transaction.query(
            """
            select \(AuditLine.columns) from audit a
            where a.id > \(cursor)
                and not exists (select from audit_link k where k.line = a.id and k.line > \(cursor))
            order by a.id limit \(AuditChain.batch)
            """
        ).compactMap { try AuditLine($0) }
        guard !lines.isEmpty else { return [] }
        let today = String(clock.now().rfc3339.prefix(10))
        var head = try await AuditHead.newest(in: transaction)
        var links: [AuditLink] = [], days: [AuditHead] = []
        for line in lines {
            let place = (head?.last ?? 0) + 1, previous = head?.hash ?? AuditLink.beginning
            let day = max(head?.day ?? "", min(line.day, today))
            let digest = line.digest, hash = AuditLink.hash(previous, digest)
            links.append(AuditLink(place: place, digest: digest, hash: hash))
            var open =
                head.flatMap { $0.day == day ? $0 : nil } ?? AuditHead(day: day, first: place, previous: previous)
            (open.last, open.hash) = (place, hash)
            if days.last?.day == day { days[days.count - 1] = open } else { days.append(open) }
            head = open
        }
        try await write(links, of: lines, days, in: transaction)
        return lines.map(\.id)
    }

    private func write(
        _ links: [AuditLink], of lines: [AuditLine], _ days: [AuditHead], in transaction: any SQLExecutor
    ) async throws {
        var statements: [SQL] = [
            """
            insert into audit_link (place, line, digest, hash)
            select l.place, l.line, l.digest, l.hash from unnest(\(links.map(\.place)), \(lines.map(\.id)),
                \(links.map(\.digest)), \(links.map(\.hash))) as l (place, line, digest, hash)
            """
        ]
        for day in days {
            statements.append(
                """
                insert into audit_head (day, first, last, previous, hash)
                values (\(day.day)::text::date, \(day.first), \(day.last), \(day.previous), \(day.hash))
                on conflict (day) do update set last = excluded.last, hash = excluded.hash
                """)
        }
        _ = try await transaction.batch(statements)
    }
}
