import Base
import Database
import Foundation

/// The chain with its lines, to be verified by somebody who has no database: for each day its head, then its lines.
public struct AuditExport: Sendable {
    /// Where it goes on: a place, whose day's head was given already. The day ends where that head said: today's grows
    /// from page to page, and what comes after the head was told does not lead to it.
    public struct Cursor: Sendable, Equatable {
        let day: String
        let place: Int64
        let last: Int64

        init(day: String, place: Int64, last: Int64) { (self.day, self.place, self.last) = (day, place, last) }

        /// `DAY.PLACE.LAST`.
        public init?(_ text: String) {
            let parts = text.split(separator: ".").map(String.init)
            guard parts.count == 3, AuditDay(parts[0])?.text == parts[0], let place = Int64(parts[1]),
                let last = Int64(parts[2])
            else { return nil }
            self.init(day: parts[0], place: place, last: last)
        }

        public var text: String { "\(day).\(place).\(last)" }
    }

    let executor: any SQLExecutor

    public init(in executor: any SQLExecutor) { self.executor = executor }

    /// A page, and where the next begins. Of days whose lines are gone there is the head alone.
    public func page(
        since: String?, until: String?, after cursor: Cursor?, limit: Int
    ) async throws -> (items: [JSONObject], next: Cursor?) {
        var items: [JSONObject] = [], cursor = cursor
        while items.count < limit {
            if let at = cursor, let head = try await self.head(at.day), head.purgedAt == nil,
                at.place < min(at.last, head.last)
            {
                let end = min(at.last, head.last)
                let lines = try await lines(after: at.place, until: end, limit: limit - items.count)
                items += lines.items
                // A place that is gone is told by what is missing between its neighbours.
                cursor = Cursor(day: at.day, place: lines.items.isEmpty ? end : lines.last, last: end)
                continue
            }
            let heads = try await AuditHead.list(
                since: since, until: until, after: cursor?.day, limit: 1, in: executor)
            guard let head = heads.first else { return (items, nil) }
            items.append(head.json)
            cursor = Cursor(day: head.day, place: head.first - 1, last: head.last)
        }
        return (items, cursor)
    }

    private func head(_ day: String) async throws -> AuditHead? {
        try await executor.query(
            "select \(AuditHead.columns) from audit_head h where h.day = \(day)::text::date"
        ).first.map { try AuditHead($0) }
    }

    private func lines(
        after place: Int64, until last: Int64, limit: Int
    ) async throws -> (items: [JSONObject], last: Int64) {
        var end = place
        let items = try await executor.query(
            """
            select k.place, k.hash, \(AuditLine.columns) from audit_link k join audit a on a.id = k.line
            where k.place > \(place) and k.place <= \(last) order by k.place limit \(limit)
            """
        ).compactMap { row -> JSONObject? in
            guard let line = try AuditLine(row) else { return nil }
            end = try row("place")
            var item: JSONObject = ["place": .integer(Int(end))]
            for (name, value) in line.json { item[name] = value }
            item["hash"] = .string(Hexadecimal.encode(try row("hash", as: [UInt8].self)))
            return item
        }
        return (items, end)
    }
}

/// A day of the chain in writing: `2026-11-21`, or the UTC day of an RFC 3339 time.
public struct AuditDay: Sendable {
    public let text: String

    public init?(_ text: String) {
        if text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) != nil, let date = Date(rfc3339: text + "T00:00:00Z"),
            date.rfc3339.hasPrefix(text)
        {
            self.text = text
        } else if let date = Date(rfc3339: text) {
            self.text = String(date.rfc3339.prefix(10))
        } else {
            return nil
        }
    }
}
