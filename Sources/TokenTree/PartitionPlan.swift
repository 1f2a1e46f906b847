import Base
import Database
import Foundation

/// Where rows live: partitions of equal width per life span, named by their first day (or hour), found from an
/// identifier alone.
public enum PartitionPlan {
    /// How long the row of an assertion is kept: a service may hold refreshable tokens below it for as long.
    public static let assertionMemory: TimeInterval = 400 * 86_400

    /// Dead for this long before it is dropped, so that a late look still tells why.
    static let margin: TimeInterval = 86_400

    struct Partition: Equatable {
        let table: String
        let parent: String
        /// Bounds as identifiers: the first that belongs, the first that does not.
        let from: UUID
        let to: UUID
        let end: Date
        /// Before, no row can be issued that belongs here.
        let neededFrom: Date
    }

    static func width(_ span: NodeID.Span) -> Int? {
        switch span {
        case .days: 86_400
        case .weeks: 7 * 86_400
        case .months: 30 * 86_400
        case .endless: nil
        }
    }

    /// The partition of `token` that holds this identifier, if any can.
    static func partition(of id: NodeID) -> String? {
        guard let width = width(id.span), let end = id.keptUntil else { return nil }
        return name("token", id.span, Int(end.timeIntervalSince1970) / width)
    }

    static func all(at now: Date) -> [Partition] { tokens(at: now) + assertions(at: now) + oneTime(at: now) }

    /// All partitions of `token` for rows issued from `now` on, so far ahead that days without a keeper do no harm.
    static func tokens(at now: Date) -> [Partition] { partitions("token", [.days, .weeks, .months], at: now) }

    /// All partitions of `assertion_reach`: of the same months as those of `token` that hold the assertions.
    static func assertions(at now: Date) -> [Partition] { partitions("assertion_reach", [.months], at: now) }

    private static func partitions(_ parent: String, _ spans: [NodeID.Span], at now: Date) -> [Partition] {
        spans.flatMap { span in
            guard let width = width(span) else { return [Partition]() }
            let ahead = longest(span) + max(3 * 86_400, 2 * TimeInterval(width))
            let first = Int(now.timeIntervalSince1970) / width,
                last = Int(now.addingTimeInterval(ahead).timeIntervalSince1970) / width
            return (first...last).map { make(parent, span, $0, width: width, longest: longest(span)) }
        }
    }

    /// For how long a row is kept at most (Base/NodeID, `Span`).
    private static func longest(_ span: NodeID.Span) -> TimeInterval {
        switch span {
        case .days: 2 * 86_400
        case .weeks: 60 * 86_400
        case .months, .endless: assertionMemory
        }
    }

    static let oneTimeWidth = 3_600

    static func oneTime(at now: Date) -> [Partition] {
        let first = Int(now.timeIntervalSince1970 - 600) / oneTimeWidth
        return (first...(first + 50)).map {
            make("one_time", .days, $0, width: oneTimeWidth, longest: OneTimeStore.longest)
        }
    }

    private static func make(
        _ parent: String, _ span: NodeID.Span, _ index: Int, width: Int, longest: TimeInterval
    ) -> Partition {
        Partition(
            table: name(parent, span, index), parent: parent, from: bound(span, index * width),
            to: bound(span, (index + 1) * width),
            end: Date(timeIntervalSince1970: TimeInterval((index + 1) * width)),
            neededFrom: Date(timeIntervalSince1970: TimeInterval(index * width) - longest))
    }

    private static func name(_ parent: String, _ span: NodeID.Span, _ index: Int) -> String {
        "\(parent)_\(span)_\(index)"
    }

    /// The number at the end of a partition's name, back to the end of its time.
    static func end(ofTable table: String, parent: String) -> Date? {
        let parts = table.dropFirst(parent.count + 1).split(separator: "_")
        guard parts.count == 2, let index = Int(parts[1]), (0...10_000_000).contains(index),
            let span = NodeID.Span.allCases.first(where: { "\($0)" == parts[0] })
        else { return nil }
        guard let width = parent == "one_time" ? oneTimeWidth : width(span) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval((index + 1) * width))
    }

    /// The smallest identifier of a span whose row may be gone at `end` or later; of all of the span without one.
    static func first(of span: NodeID.Span, endingBefore end: Date?) -> NodeID {
        NodeID(rawValue: bound(span, end.map { max(0, Int($0.timeIntervalSince1970)) } ?? 0))
    }

    /// Whether the node in a column has no row of `token` any more by what its identifier says: its own row, not those
    /// below it. An endless one never has.
    static func hasNoRow(_ node: SQL, at now: Date) -> SQL {
        let limit = now.addingTimeInterval(-margin)
        func ended(_ span: NodeID.Span) -> SQL {
            "\(node) >= \(first(of: span, endingBefore: nil)) and \(node) < \(first(of: span, endingBefore: limit))"
        }
        return """
            (\(ended(.days)) or \(ended(.weeks)) or \(ended(.months))
                or \(node) >= \(first(of: .endless, endingBefore: nil)))
            """
    }

    /// The smallest identifier of a span and second (Base/NodeID: two bits of span, 32 of time).
    private static func bound(_ span: NodeID.Span, _ seconds: Int) -> UUID {
        let prefix = UInt64(span.rawValue) << 62 | UInt64(UInt32(clamping: seconds)) << 30
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: prefix >> UInt64(56 - 8 * index)) }
        return UUID(
            uuid: (byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
