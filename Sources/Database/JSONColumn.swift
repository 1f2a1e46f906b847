import Base

/// `jsonb` both ways, `json` when reading. In binary `jsonb` is a version byte, 1, and the text.
extension JSONValue: SQLEncodable, SQLDecodable {
    public static var sqlType: SQLType { .jsonb }
    public func sqlBytes() -> [UInt8] { [1] + bytes }

    public init(sqlBytes: [UInt8], type: SQLType) throws(NotDecodable) {
        let text: ArraySlice<UInt8>
        switch type {
        case .json: text = sqlBytes[...]
        case .jsonb where sqlBytes.first == 1: text = sqlBytes.dropFirst()
        default: throw NotDecodable()
        }
        do {
            self = try JSONReader.read(text)
        } catch {
            throw NotDecodable()
        }
    }
}
