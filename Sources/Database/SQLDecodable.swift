/// What may be read out of a column.
public protocol SQLDecodable {
    /// `sqlBytes` is the binary format of a value of `type` that is not NULL.
    init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable)

    /// What NULL reads as; `nil` where NULL is an error.
    static var sqlNull: Self? { get }

    /// Reads `[Self]`: the counterpart of `SQLEncodable.sqlArrayBytes`.
    static func sqlArray(_ bytes: [UInt8], type: SQLType) throws(NotDecodable) -> [Self]
}

/// The bytes or their type do not fit. Says no more, as the bytes may be secret; `Row` names the column.
public struct NotDecodable: Error {
    public init() {}
}

extension SQLDecodable {
    public static var sqlNull: Self? { nil }
    public static func sqlArray(_ bytes: [UInt8], type: SQLType) throws(NotDecodable) -> [Self] {
        try ArrayCodec.decode(bytes)
    }
}

extension SQLDecodable where Self: RawRepresentable, RawValue: SQLDecodable {
    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        guard let value = Self(rawValue: try RawValue(sqlBytes: sqlBytes, type: type)) else { throw NotDecodable() }
        self = value
    }
}

extension Optional: SQLDecodable where Wrapped: SQLDecodable {
    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        self = try Wrapped(sqlBytes: sqlBytes, type: type)
    }
    public static var sqlNull: Wrapped?? { .some(.none) }
}

extension Array: SQLDecodable where Element: SQLDecodable {
    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        self = try Element.sqlArray(sqlBytes, type: type)
    }
}
