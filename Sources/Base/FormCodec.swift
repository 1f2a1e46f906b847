/// `application/x-www-form-urlencoded`, read strictly (RFC 6749, 3.1 and 3.2: a parameter must not come twice).
public enum FormCodec {
    public enum Malformed: Error, Equatable {
        case duplicate(String)
        case badEncoding
        case nulByte
    }

    /// Empty values stay; the caller decides whether an empty parameter counts as absent (RFC 6749, 3.1: it does).
    public static func read(_ body: some Collection<UInt8>) throws(Malformed) -> [String: String] {
        var form: [String: String] = [:]
        for (name, value) in try pairs(body) {
            guard form.updateValue(value, forKey: name) == nil else { throw .duplicate(name) }
        }
        return form
    }

    /// All of it in its order, for a form in which some name may come twice. Never `.duplicate`.
    public static func pairs(_ body: some Collection<UInt8>) throws(Malformed) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        // From here on of one type: what is generic over modules asks for each byte how it is read.
        for pair in Array(body)[...].split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(parts[0])
            pairs.append((name, parts.count > 1 ? try decoded(parts[1]) : ""))
        }
        return pairs
    }

    public static func write(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    /// Percent-encodes all but RFC 3986 unreserved characters.
    public static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        let hex = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                out.append(byte)
            default:
                out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// One name or value: `+` is a blank, `%` begins an encoded byte, and what comes out is UTF-8 without NUL. Never
    /// `.duplicate`.
    public static func decode(_ raw: some Collection<UInt8>) throws(Malformed) -> String {
        try decoded(Array(raw)[...])
    }

    private static func decoded(_ raw: ArraySlice<UInt8>) throws(Malformed) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): out.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble) else {
                    throw .badEncoding
                }
                out.append(high << 4 | low)
            default: out.append(byte)
            }
        }
        guard !out.contains(0) else { throw .nulByte }
        guard let text = String(validating: out, as: UTF8.self) else { throw .badEncoding }
        return text
    }

    private static func nibble(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
