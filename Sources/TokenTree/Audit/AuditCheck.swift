import Base
import Database

/// Reads the chain and the lines again, and tells where they are not what they were.
public struct AuditCheck: Sendable {
    public struct Problem: Sendable, Equatable {
        public enum Kind: String, Sendable {
            /// The line says something else than when it got its place.
            case changed
            /// The line, or its place in the chain, is gone; or the lines of a day that nobody forgot.
            case missing
            /// The line stands in the place of another.
            case reordered
            /// A line that has no place, among lines that all have one.
            case inserted
            /// Its hash does not follow from the place before: the chain itself was written anew, or exchanged.
            case broken
            /// The day's head is not that of its lines, or does not follow the day before.
            case head
        }

        public let kind: Kind
        public let day: String?
        public let place: Int64?
        public let line: Int64?

        public var json: JSONValue {
            [
                "kind": .string(kind.rawValue), "line": line.map { .integer(Int($0)) } ?? .null,
                "day": JSONValue(day), "place": place.map { .integer(Int($0)) } ?? .null,
            ]
        }
    }

    public struct Report: Sendable {
        public fileprivate(set) var days = 0
        public fileprivate(set) var purgedDays = 0
        public fileprivate(set) var lines = 0
        /// Lines that the chain does not hold yet; they will get their places in a moment.
        public fileprivate(set) var waiting = 0
        public fileprivate(set) var head: AuditHead?
        /// The first `AuditCheck.most`.
        public fileprivate(set) var problems: [Problem] = []

        public var isIntact: Bool { problems.isEmpty }

        public var json: JSONObject {
            [
                "intact": .bool(isIntact), "lines": .integer(lines), "days": .integer(days),
                "purged_days": .integer(purgedDays), "waiting": .integer(waiting),
                "head": head.map { ["day": .string($0.day), "hash": .string(Hexadecimal.encode($0.hash))] } ?? .null,
                "problems": .array(problems.map(\.json)),
            ]
        }
    }

    /// Who finds so many looks no further.
    static let most = 100
    private static let page = 2_000
    private static let span: Int64 = 50_000

    let executor: any SQLExecutor

    public init(in executor: any SQLExecutor) { self.executor = executor }

    /// Days from `since` to `until`, both included; `nil` is no end.
    public func run(since: String? = nil, until: String? = nil) async throws -> Report {
        var report = Report(), before = try await headBefore(since)
        // What got its place later is not looked at, so a chain that grows meanwhile is none that is broken.
        let settled = try await AuditChain.settled(in: executor)
        let heads = try await AuditHead.list(since: since, until: until, in: executor)
        for head in heads {
            if head.previous != before?.hash ?? AuditLink.beginning || head.first != (before?.last ?? 0) + 1 {
                report.problems.append(.init(kind: .head, day: head.day, place: head.first, line: nil))
            }
            var seen = report
            if head.purgedAt == nil { try await check(head, &seen) }
            // Of one that is forgotten at this moment, lines are gone that were there when its head was read.
            let isComplete = seen.problems.count == report.problems.count
            let isPurged = if isComplete { head.purgedAt != nil } else { try await isPurged(head.day) }
            if isPurged { report.purgedDays += 1 } else { report = seen }
            report.days += 1
            before = head
            guard report.problems.count < AuditCheck.most else { break }
        }
        report.head = before
        if until == nil, let last = heads.last ?? before { try await checkBehind(last, &report) }
        try await checkPurged(since: since, until: until, &report)
        try await checkInserted(before: settled, &report)
        report.waiting = try await AuditChain.waiting(in: executor)
        report.problems = Array(report.problems.prefix(AuditCheck.most))
        return report
    }

    private func headBefore(_ day: String?) async throws -> AuditHead? {
        guard let day else { return nil }
        return try await executor.query(
            """
            select \(AuditHead.columns) from audit_head h where h.day < \(day)::text::date order by h.day desc limit 1
            """
        ).first.map { try AuditHead($0) }
    }

    private func isPurged(_ day: String) async throws -> Bool {
        try await !executor.query(
            "select from audit_head h where h.day = \(day)::text::date and h.purged_at is not null"
        ).isEmpty
    }

    /// Days whose heads only say that their lines were forgotten (`AuditPurge`): it forgets whole days from the first
    /// on, when they are over, and a line tells the last of them, which is there for as long as no later day goes.
    private func checkPurged(since: String?, until: String?, _ report: inout Report) async throws {
        let rows = try await executor.query(
            """
            select to_char(h.day, 'YYYY-MM-DD') as day, h.first from audit_head h
            where h.purged_at is not null
                and (\(since)::text is null or h.day >= \(since)::text::date)
                and (\(until)::text is null or h.day <= \(until)::text::date)
                and (h.purged_at < (h.day + 1)::timestamp at time zone 'UTC'
                    or exists (select from audit_head o where o.day < h.day and o.purged_at is null)
                    or h.day = (select max(m.day) from audit_head m where m.purged_at is not null)
                        and not exists (
                            select from audit a where a.action = \(AuditPurge.action)
                                and a.detail ->> 'last' >= to_char(h.day, 'YYYY-MM-DD') collate "C"))
            order by h.day limit \(AuditCheck.most)
            """)
        report.problems += try rows.map {
            Problem(kind: .missing, day: try $0("day"), place: try $0("first"), line: nil)
        }
    }

    private struct Suspect {
        let place: Int64
        let line: AuditLine
        let digest: [UInt8]
    }

    private func check(_ head: AuditHead, _ report: inout Report) async throws {
        var previous: [UInt8]? = head.previous, next = head.first, suspects: [Suspect] = []
        while next <= head.last, report.problems.count + suspects.count < AuditCheck.most {
            let end = min(head.last, next + Int64(AuditCheck.page) - 1)
            for row in try await places(from: next, to: end) {
                let place: Int64 = try row("place"), line = try AuditLine(row)
                let lineID: Int64? = try row("line")
                guard let digest = try row("digest", as: [UInt8]?.self), let hash = try row("hash", as: [UInt8]?.self)
                else {
                    report.problems.append(.init(kind: .missing, day: head.day, place: place, line: nil))
                    previous = nil
                    continue
                }
                report.lines += 1
                if line == nil {
                    report.problems.append(.init(kind: .missing, day: head.day, place: place, line: lineID))
                }
                if let line, line.digest != digest {
                    suspects.append(Suspect(place: place, line: line, digest: digest))
                } else if let previous, AuditLink.hash(previous, digest) != hash {
                    report.problems.append(.init(kind: .broken, day: head.day, place: place, line: lineID))
                }
                previous = hash
            }
            next = end + 1
        }
        // One that says what was said at another place has changed places with it.
        let expected = Set(suspects.map(\.digest))
        report.problems += suspects.map { suspect in
            Problem(
                kind: expected.contains(suspect.line.digest) ? .reordered : .changed, day: head.day,
                place: suspect.place, line: suspect.line.id)
        }
        if next > head.last, let previous, previous != head.hash {
            report.problems.append(.init(kind: .head, day: head.day, place: head.last, line: nil))
        }
    }

    private func places(from first: Int64, to last: Int64) async throws -> [Row] {
        try await executor.query(
            """
            select n.place, k.line, k.digest, k.hash, \(AuditLine.columns)
            from generate_series(\(first)::bigint, \(last)::bigint) as n (place)
            left join audit_link k on k.place = n.place left join audit a on a.id = k.line order by n.place
            """)
    }

    /// Places that no day has. One that was given this moment has its day in the same transaction.
    private func checkBehind(_ last: AuditHead, _ report: inout Report) async throws {
        let rows = try await executor.query(
            """
            select k.place, k.line from audit_link k where k.place > \(last.last)
                and k.place > (select max(h.last) from audit_head h) order by k.place limit \(AuditCheck.most)
            """)
        for row in rows {
            report.problems.append(
                .init(kind: .inserted, day: nil, place: try row("place"), line: try row("line")))
        }
    }

    /// Lines without a place, where each has got one.
    private func checkInserted(before settled: Int64, _ report: inout Report) async throws {
        let first: Int64? = try await executor.query("select min(id) as id from audit").first.flatMap { try $0("id") }
        guard let first else { return }
        var cursor = first - 1
        while cursor < settled, report.problems.count < AuditCheck.most {
            let end = min(settled, cursor + AuditCheck.span)
            let found: [Int64] = try await executor.query(
                """
                select a.id from audit a where a.id > \(cursor) and a.id <= \(end)
                    and not exists (
                        select from audit_link k where k.line = a.id and k.line > \(cursor) and k.line <= \(end))
                order by a.id limit \(AuditCheck.most)
                """
            ).map { try $0("id") }
            report.problems += found.map { .init(kind: .inserted, day: nil, place: nil, line: $0) }
            cursor = end
        }
    }
}
