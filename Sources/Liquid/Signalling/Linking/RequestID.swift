import Base
import Foundation

/// What a page shows in its QR code and a wallet names when it logs in: a UUID, or a number (old Android builds). The
/// JSON type is part of it, as `"1"` is not `1` for any client; numbers are compared as numbers, so `1e15` is
/// `1000000000000000`.
///
/// Whoever links first has an id, so one that can be guessed can be taken before its page comes: short numbers are
/// none. Fractions of sixteen digits are (one in 2^28 of them is short).
public struct RequestID: Sendable, Hashable {
    /// `s:` and the text, or `n:` and the number.
    let key: String

    public init?(_ value: JSONValue?) {
        switch value {
        case .string(let text):
            guard text.utf8.count == 36, UUID(uuidString: text) != nil else { return nil }
            key = "s:" + text
        case .integer(let number):
            guard RequestID.isLong(number) else { return nil }
            key = "n:\(number)"
        case .number(let number):
            guard number.isFinite else { return nil }
            let whole = Int(exactly: number)
            guard whole.map({ RequestID.isLong($0) }) ?? (number.magnitude >= 0x1p40 || number.significandWidth >= 24)
            else { return nil }
            key = whole.map { "n:\($0)" } ?? "n:\(number)"
        default: return nil
        }
    }

    private static func isLong(_ number: Int) -> Bool { number.magnitude >= 1 << 40 }

    init?(key: String) {
        guard let json = RequestID.json(key), let id = RequestID(json), id.key == key else { return nil }
        self = id
    }

    /// As it stands in an acknowledgement.
    var json: JSONValue { RequestID.json(key) ?? .null }

    private static func json(_ key: String) -> JSONValue? {
        let rest = String(key.dropFirst(2))
        if key.hasPrefix("s:") { return .string(rest) }
        guard key.hasPrefix("n:") else { return nil }
        return Int(rest).map(JSONValue.integer) ?? Double(rest).map(JSONValue.number)
    }
}
