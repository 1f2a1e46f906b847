/// A statement, or a part of one, whose values travel apart from its text.
///
/// An interpolated value becomes `$1`…`$n` with its type and binary bytes; interpolated `SQL` is spliced in and
/// renumbered; `identifier:` is quoted; `raw:` is taken as it is and must never hold what a user typed.
///
///     "select name from \(identifier: table) where id = any(\(ids)) and \(condition)"
public struct SQL: Sendable, Equatable, ExpressibleByStringInterpolation {
    struct Value: Sendable, Equatable {
        let type: SQLType
        /// `nil` is NULL.
        let bytes: [UInt8]?
    }

    /// The text around the values: always one more than there are values.
    private(set) var texts: [String]
    private(set) var values: [Value]

    public init(stringLiteral value: String) {
        texts = [value]
        values = []
    }

    public init(stringInterpolation interpolation: Interpolation) { self = interpolation.sql }

    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        public init(literalCapacity: Int, interpolationCount: Int) { sql = "" }

        public mutating func appendLiteral(_ literal: String) { sql.append(text: literal) }

        public mutating func appendInterpolation(_ value: some SQLEncodable) {
            sql.append(Value(type: type(of: value).sqlType, bytes: value.isSQLNull ? nil : value.sqlBytes()))
        }

        /// `nil` is NULL. Stands here so that the compiler does not take it for text that was meant to be unwrapped.
        public mutating func appendInterpolation<Wrapped: SQLEncodable>(_ value: Wrapped?) {
            sql.append(Value(type: Wrapped.sqlType, bytes: value.flatMap { $0.isSQLNull ? nil : $0.sqlBytes() }))
        }

        public mutating func appendInterpolation(_ part: SQL) { sql.append(part) }

        public mutating func appendInterpolation(identifier: String) { sql.append(text: SQL.quoted(identifier)) }

        public mutating func appendInterpolation(raw text: String) { sql.append(text: text) }
    }

    public static func + (left: SQL, right: SQL) -> SQL {
        var sum = left
        sum.append(right)
        return sum
    }

    public static func += (left: inout SQL, right: SQL) { left.append(right) }

    static func quoted(_ identifier: String) -> String {
        "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private mutating func append(text: String) { texts[texts.count - 1] += text }

    private mutating func append(_ value: Value) {
        values.append(value)
        texts.append("")
    }

    private mutating func append(_ other: SQL) {
        append(text: other.texts[0])
        texts += other.texts.dropFirst()
        values += other.values
    }
}

extension Sequence<SQL> {
    public func joined(separator: SQL) -> SQL {
        var sum: SQL = ""
        for (index, part) in enumerated() {
            if index > 0 { sum += separator }
            sum += part
        }
        return sum
    }
}
