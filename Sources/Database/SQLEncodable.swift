/// What may be interpolated into `SQL`: a type the server knows and the bytes of its binary format.
///
/// A type with a raw value gets its implementation from it: `extension NodeID: SQLEncodable, SQLDecodable {}`.
public protocol SQLEncodable: Sendable {
    static var sqlType: SQLType { get }

    /// Binary format, network byte order, without the length.
    func sqlBytes() -> [UInt8]

    /// Bound as NULL; true of `Optional.none` alone.
    var isSQLNull: Bool { get }

    /// How `[Self]` travels: an SQL array, except that bytes become `bytea`.
    static var sqlArrayType: SQLType { get }
    static func sqlArrayBytes(_ items: [Self]) -> [UInt8]
}

extension SQLEncodable {
    public var isSQLNull: Bool { false }
    public static var sqlArrayType: SQLType { sqlType.array }
    public static func sqlArrayBytes(_ items: [Self]) -> [UInt8] { ArrayCodec.encode(items) }
}

extension SQLEncodable where Self: RawRepresentable, RawValue: SQLEncodable {
    public static var sqlType: SQLType { RawValue.sqlType }
    public func sqlBytes() -> [UInt8] { rawValue.sqlBytes() }
}

extension Optional: SQLEncodable where Wrapped: SQLEncodable {
    public static var sqlType: SQLType { Wrapped.sqlType }
    public func sqlBytes() -> [UInt8] { self?.sqlBytes() ?? [] }
    public var isSQLNull: Bool { self?.isSQLNull ?? true }
}

extension Array: SQLEncodable where Element: SQLEncodable {
    public static var sqlType: SQLType { Element.sqlArrayType }
    public func sqlBytes() -> [UInt8] { Element.sqlArrayBytes(self) }
}
