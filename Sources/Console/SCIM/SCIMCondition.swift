import Base
import Database
import Foundation

/// A filter as a condition of SQL, with its values bound.
struct SCIMCondition: Sendable {
    /// What an attribute is in the rows that are asked.
    enum Column: Sendable {
        /// A text; `folded`: compared in any case.
        case text(SQL, folded: Bool)
        /// Compared by a rule of its own where it is to be equal.
        case named(SQL, isEqual: @Sendable (String) -> SQL)
        case flag(SQL)
        case time(SQL)
        /// A set of rows `v (item)` of texts.
        case texts(SQL)
        /// The same for all.
        case constant(String)
    }

    /// `nil` where the attribute is none that is looked for.
    typealias Columns = @Sendable (SCIMPath) -> Column?

    let columns: Columns

    /// Throws `SCIMRefusal` of type `invalidFilter`.
    func sql(_ filter: SCIMFilter) throws -> SQL {
        switch filter {
        case .and(let one, let other): return "(\(try sql(one)) and \(try sql(other)))"
        case .or(let one, let other): return "(\(try sql(one)) or \(try sql(other)))"
        case .not(let inner): return "not coalesce(\(try sql(inner)), false)"
        case .value(let path, let inner): return try sql(inner.below(path))
        case .present(let path): return try SCIMCondition.isPresent(try column(path))
        case .compare(let path, .ne, let value):
            return "not coalesce(\(try equals(path, value)), false)"
        case .compare(let path, .eq, let value): return try equals(path, value)
        case .compare(let path, let comparison, let value): return try compares(path, comparison, value)
        }
    }

    private func column(_ path: SCIMPath) throws -> Column {
        guard let column = columns(path) else {
            throw SCIMFilterParser.refused("\(path.attribute.prefix(80)) is no attribute to look for")
        }
        return column
    }

    private static func isPresent(_ column: Column) throws -> SQL {
        switch column {
        case .text(let text, _): "\(text) is not null"
        case .named, .flag, .time, .constant: "true"
        case .texts(let rows): "exists (select from \(rows))"
        }
    }

    private func equals(_ path: SCIMPath, _ value: JSONValue) throws -> SQL {
        let column = try column(path)
        if value == .null { return "not (\(try SCIMCondition.isPresent(column)))" }
        switch (column, value) {
        case (.text(let text, folded: true), .string(let wanted)): return "lower(\(text)) = lower(\(wanted))"
        case (.text(let text, folded: false), .string(let wanted)): return "\(text) = \(wanted)"
        case (.named(_, let isEqual), .string(let wanted)): return isEqual(wanted)
        case (.flag(let flag), .bool(let wanted)): return wanted ? flag : "not (\(flag))"
        case (.time(let time), .string(let wanted)): return "\(time) = \(try SCIMCondition.date(wanted))"
        case (.texts(let rows), .string(let wanted)): return "exists (select from \(rows) where v.item = \(wanted))"
        case (.constant(let known), .string(let wanted)):
            return known.lowercased() == wanted.lowercased() ? "true" : "false"
        default: throw SCIMFilterParser.refused("\(path.attribute) is compared with a value of another type")
        }
    }

    private func compares(_ path: SCIMPath, _ comparison: SCIMFilter.Comparison, _ value: JSONValue) throws -> SQL {
        let column = try column(path)
        guard case .string(let wanted) = value else {
            throw SCIMFilterParser.refused("\(comparison.rawValue) compares texts and times")
        }
        switch column {
        case .text(let text, let folded):
            return folded
                ? SCIMCondition.compare("lower(\(text))", comparison, "lower(\(wanted))")
                : SCIMCondition.compare(text, comparison, "\(wanted)")
        case .named(let text, _): return SCIMCondition.compare("lower(\(text))", comparison, "lower(\(wanted))")
        case .texts(let rows):
            let condition = SCIMCondition.compare("v.item", comparison, "\(wanted)")
            return "exists (select from \(rows) where \(condition))"
        case .time(let time):
            guard ![.co, .sw, .ew].contains(comparison) else { break }
            return SCIMCondition.compare(time, comparison, "\(try SCIMCondition.date(wanted))")
        case .flag, .constant: break
        }
        throw SCIMFilterParser.refused("\(comparison.rawValue) says nothing of \(path.attribute)")
    }

    private static func compare(_ text: SQL, _ comparison: SCIMFilter.Comparison, _ wanted: SQL) -> SQL {
        switch comparison {
        case .eq: "\(text) = \(wanted)"
        case .ne: "\(text) <> \(wanted)"
        case .co: "position(\(wanted) in \(text)) > 0"
        case .sw: "starts_with(\(text), \(wanted))"
        case .ew: "right(\(text), length(\(wanted))) = \(wanted)"
        case .gt: "\(text) > \(wanted)"
        case .ge: "\(text) >= \(wanted)"
        case .lt: "\(text) < \(wanted)"
        case .le: "\(text) <= \(wanted)"
        }
    }

    private static func date(_ text: String) throws -> Date {
        guard let date = Date(rfc3339: text) else {
            throw SCIMFilterParser.refused("\(text.prefix(40)) is no time: write 2026-01-31T12:00:00Z")
        }
        return date
    }
}

extension SCIMFilter {
    /// With the attribute in front of every part.
    func below(_ path: SCIMPath) throws -> SCIMFilter {
        switch self {
        case .and(let one, let other): return .and(try one.below(path), try other.below(path))
        case .or(let one, let other): return .or(try one.below(path), try other.below(path))
        // Of a value that is there: nothing holds of none.
        case .not(let inner): return .and(.present(path), .not(try inner.below(path)))
        case .value: throw SCIMFilterParser.refused("a filter of values has none within")
        case .present(let part): return .present(try SCIMFilter.joined(path, part))
        case .compare(let part, .ne, let value):
            return .and(.present(path), .compare(try SCIMFilter.joined(path, part), .ne, value))
        case .compare(let part, let comparison, let value):
            return .compare(try SCIMFilter.joined(path, part), comparison, value)
        }
    }

    private static func joined(_ path: SCIMPath, _ part: SCIMPath) throws -> SCIMPath {
        guard path.part == nil, part.part == nil, part.schema == nil else {
            throw SCIMFilterParser.refused("within [ ] a part is named alone")
        }
        return SCIMPath(schema: path.schema, path.attribute, part.attribute)
    }
}
