/// The binary format of arrays (`array_send`): dimensions, has-NULL flag, element type, then length and lower bound of
/// each dimension, then the elements, each with its length (−1 for NULL). Only empty and one-dimensional arrays are
/// ours.
enum ArrayCodec {
    static func encode<Element: SQLEncodable>(_ items: [Element]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(20 + items.count * 20)
        let hasNull: Int32 = items.contains(where: \.isSQLNull) ? 1 : 0
        out.append(bigEndian: Int32(items.isEmpty ? 0 : 1))
        out.append(bigEndian: hasNull)
        out.append(bigEndian: Element.sqlType.rawValue)
        guard !items.isEmpty else { return out }
        out.append(bigEndian: Int32(clamping: items.count))
        out.append(bigEndian: Int32(1))
        for item in items {
            guard !item.isSQLNull else {
                out.append(bigEndian: Int32(-1))
                continue
            }
            let bytes = item.sqlBytes()
            out.append(bigEndian: Int32(clamping: bytes.count))
            out += bytes
        }
        return out
    }

    static func decode<Element: SQLDecodable>(_ bytes: [UInt8]) throws(NotDecodable) -> [Element] {
        var rest = bytes[...]
        let dimensions = try rest.take(Int32.self)
        _ = try rest.take(Int32.self)
        let type = SQLType(rawValue: try rest.take(UInt32.self))
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw NotDecodable() }
        let count = try rest.take(Int32.self)
        _ = try rest.take(Int32.self)
        // Each element has a length of four bytes: a count beyond that is not an array.
        guard count >= 0, Int(count) <= rest.count / 4 else { throw NotDecodable() }
        var items: [Element] = []
        items.reserveCapacity(Int(count))
        for _ in 0..<count {
            let length = try rest.take(Int32.self)
            if length < 0 {
                guard let null = Element.sqlNull else { throw NotDecodable() }
                items.append(null)
            } else {
                items.append(try Element(sqlBytes: try rest.take(Int(length)), type: type))
            }
        }
        guard rest.isEmpty else { throw NotDecodable() }
        return items
    }
}

extension Array where Element == UInt8 {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        var shift = number.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension ArraySlice where Element == UInt8 {
    mutating func take<Number: FixedWidthInteger>(_: Number.Type) throws(NotDecodable) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func take(_ length: Int) throws(NotDecodable) -> [UInt8] {
        guard count >= length else { throw NotDecodable() }
        defer { self = dropFirst(length) }
        return Array(prefix(length))
    }
}
