import Base
import Foundation

// Bool, numbers, text, UUIDs and times in PostgreSQL's binary formats.

extension Bool: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .bool }
    public func sqlBytes() -> [UInt8] { [self ? 1 : 0] }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        guard type == .bool, sqlBytes.count == 1 else { throw NotDecodable() }
        self = sqlBytes[0] != 0
    }
}

/// An integer column of any width, if the value fits.
extension SQLDecodable where Self: FixedWidthInteger {
    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        var rest = sqlBytes[...]
        let wide: Int64
        switch type {
        case .int2: wide = Int64(try rest.take(Int16.self))
        case .int4: wide = Int64(try rest.take(Int32.self))
        case .int8: wide = try rest.take(Int64.self)
        case .oid: wide = Int64(try rest.take(UInt32.self))
        default: throw NotDecodable()
        }
        guard rest.isEmpty, let value = Self(exactly: wide) else { throw NotDecodable() }
        self = value
    }
}

extension SQLEncodable where Self: FixedWidthInteger {
    public func sqlBytes() -> [UInt8] {
        var out: [UInt8] = []
        out.append(bigEndian: self)
        return out
    }
}

extension Int16: SQLEncodable, SQLDecodable { public static var sqlType: SQLType { .int2 } }
extension Int32: SQLEncodable, SQLDecodable { public static var sqlType: SQLType { .int4 } }
extension Int64: SQLEncodable, SQLDecodable { public static var sqlType: SQLType { .int8 } }
extension Int: SQLEncodable, SQLDecodable { public static var sqlType: SQLType { .int8 } }

/// A byte alone is a `smallint`; bytes together are `bytea`.
extension UInt8: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .int2 }
    public func sqlBytes() -> [UInt8] { [0, self] }
    public static var sqlArrayType: SQLType { .bytea }
    public static func sqlArrayBytes(_ items: [UInt8]) -> [UInt8] { items }

    public static func sqlArray(_ bytes: [UInt8], type: SQLType) throws(NotDecodable) -> [UInt8] {
        guard type == .bytea else { throw NotDecodable() }
        return bytes
    }
}

extension Double: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .float8 }
    public func sqlBytes() -> [UInt8] { bitPattern.sqlBigEndian }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        var rest = sqlBytes[...]
        switch type {
        case .float8: self = Double(bitPattern: try rest.take(UInt64.self))
        case .float4: self = Double(Float(bitPattern: try rest.take(UInt32.self)))
        default: throw NotDecodable()
        }
    }
}

extension String: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .text }
    public func sqlBytes() -> [UInt8] { Array(utf8) }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        switch type {
        case .text, .varchar, .name, .bpchar, .unknown, .char: break
        case let other where other.isUserDefined: break
        default: throw NotDecodable()
        }
        guard let text = String(validating: sqlBytes, as: UTF8.self) else { throw NotDecodable() }
        self = text
    }
}

extension UUID: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .uuid }
    public func sqlBytes() -> [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        guard type == .uuid, sqlBytes.count == 16 else { throw NotDecodable() }
        let b = sqlBytes
        self.init(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
    }
}

/// `timestamptz`: microseconds since 2000-01-01 00:00 UTC. `infinity` reads as the distant future or past.
extension Date: SQLEncodable, SQLDecodable {
    /// Foundation counts from 2001; 2000 was a leap year.
    private static var leapYear: TimeInterval { 366 * 86_400 }

    public static var sqlType: SQLType { .timestamptz }

    public func sqlBytes() -> [UInt8] {
        let microseconds = ((timeIntervalSinceReferenceDate + Date.leapYear) * 1_000_000).rounded()
        // What is no time at all (NaN, or beyond the year 292,000) becomes a number the server refuses as out of range.
        return (Int64(exactly: microseconds) ?? Int64.max - 1).sqlBytes()
    }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        guard type == .timestamptz else { throw NotDecodable() }
        switch try Int64(sqlBytes: sqlBytes, type: .int8) {
        case .max: self = .distantFuture
        case .min: self = .distantPast
        case let microseconds:
            self.init(timeIntervalSinceReferenceDate: TimeInterval(microseconds) / 1_000_000 - Date.leapYear)
        }
    }
}

extension FixedWidthInteger {
    fileprivate var sqlBigEndian: [UInt8] {
        var out: [UInt8] = []
        out.append(bigEndian: self)
        return out
    }
}

extension NodeID: SQLEncodable, SQLDecodable {}
