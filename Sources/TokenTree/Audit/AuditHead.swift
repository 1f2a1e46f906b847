import Base
import Database
import Foundation

/// A day of the chain: a row of `audit_head`. Published, it proves what the day's lines were for good.
public struct AuditHead: Sendable {
    /// `2026-11-21`, UTC.
    public let day: String
    public let first: Int64
    public internal(set) var last: Int64
    /// The hash of the last line of the day before.
    public let previous: [UInt8]
    public internal(set) var hash: [UInt8]
    /// Since when its lines are gone.
    public let purgedAt: Date?

    static let columns: SQL = "to_char(h.day, 'YYYY-MM-DD') as day, h.first, h.last, h.previous, h.hash, h.purged_at"

    /// Beyond these no line has its place: what somebody wrote there is found by `AuditCheck`, and adding to it ends no
    /// process.
    private static let places: ClosedRange<Int64> = 0...1 << 53

    init(_ row: Row) throws(DatabaseError) {
        func place(_ column: String) throws(DatabaseError) -> Int64 {
            let place: Int64 = try row(column)
            return min(max(place, AuditHead.places.lowerBound), AuditHead.places.upperBound)
        }
        (day, first, last) = (try row("day"), try place("first"), try place("last"))
        (previous, hash, purgedAt) = (try row("previous"), try row("hash"), try row("purged_at"))
    }

    init(day: String, first: Int64, previous: [UInt8]) {
        (self.day, self.first, self.last, self.previous, hash) = (day, first, first, previous, previous)
        purgedAt = nil
    }

    /// From `since` to `until`, both included, oldest first; `nil` is no end.
    public static func list(
        since: String? = nil, until: String? = nil, after: String? = nil, limit: Int? = nil,
        in executor: any SQLExecutor
    ) async throws -> [AuditHead] {
        try await executor.query(
            """
            select \(columns) from audit_head h
            where (\(since)::text is null or h.day >= \(since)::text::date)
                and (\(until)::text is null or h.day <= \(until)::text::date)
                and (\(after)::text is null or h.day > \(after)::text::date)
            order by h.day limit \(limit)
            """
        ).map { try AuditHead($0) }
    }

    /// The last one.
    static func newest(in executor: any SQLExecutor) async throws -> AuditHead? {
        try await executor.query("select \(columns) from audit_head h order by h.day desc limit 1").first.map {
            try AuditHead($0)
        }
    }

    public var json: JSONObject {
        [
            "day": .string(day), "lines": .integer(Int(last - first + 1)), "first": .integer(Int(first)),
            "last": .integer(Int(last)), "previous": .string(Hexadecimal.encode(previous)),
            "hash": .string(Hexadecimal.encode(hash)), "purged_at": JSONValue(purgedAt?.rfc3339),
        ]
    }
}
