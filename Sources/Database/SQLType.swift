/// The object identifier of a PostgreSQL type (`pg_type.oid`); the built-in ones never change.
public struct SQLType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Lets the server infer.
    public static let unspecified = SQLType(rawValue: 0)
    public static let bool = SQLType(rawValue: 16)
    public static let bytea = SQLType(rawValue: 17)
    public static let char = SQLType(rawValue: 18)
    public static let name = SQLType(rawValue: 19)
    public static let int8 = SQLType(rawValue: 20)
    public static let int2 = SQLType(rawValue: 21)
    public static let int4 = SQLType(rawValue: 23)
    public static let text = SQLType(rawValue: 25)
    public static let oid = SQLType(rawValue: 26)
    public static let json = SQLType(rawValue: 114)
    public static let float4 = SQLType(rawValue: 700)
    public static let float8 = SQLType(rawValue: 701)
    public static let unknown = SQLType(rawValue: 705)
    public static let bpchar = SQLType(rawValue: 1042)
    public static let varchar = SQLType(rawValue: 1043)
    public static let timestamptz = SQLType(rawValue: 1184)
    public static let uuid = SQLType(rawValue: 2950)
    public static let jsonb = SQLType(rawValue: 3802)

    /// The type of arrays of this type; `unspecified` for what is no element here.
    public var array: SQLType { SQLType.arrays[self] ?? .unspecified }

    /// Enumerations and domains of our own making begin here; on the wire an enumeration is its label.
    var isUserDefined: Bool { rawValue >= 16_384 }

    private static let arrays: [SQLType: SQLType] = [
        .bool: 1000, .bytea: 1001, .char: 1002, .name: 1003, .int2: 1005, .int4: 1007, .text: 1009, .bpchar: 1014,
        .varchar: 1015,
        .int8: 1016, .float4: 1021, .float8: 1022, .oid: 1028, .timestamptz: 1185, .json: 199, .uuid: 2951,
        .jsonb: 3807,
    ].mapValues(SQLType.init(rawValue:))
}
