import Base
import Foundation
import Harness

/// Where Foundation's `JSONSerialization` and ours may differ, and why.
enum JSONDifferences {
    /// What we read and Foundation may refuse: a number that only an infinite precision would hold apart from zero.
    static func mayRefuse(_ input: [UInt8]) -> Bool {
        input.contains { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") } || input.count > 300
    }

    /// What Foundation reads and we refuse as syntax: UTF-16, UTF-32 and a byte order mark (RFC 8259, 8.1 wants UTF-8
    /// and none), and a comma before a closing bracket (no grammar has it). And a number beyond all doubles, where it
    /// is the value of a member that comes again: it looks at the last one only.
    static func mayAccept(_ input: [UInt8]) -> Bool {
        input.contains(0) || input.starts(with: [0xEF, 0xBB, 0xBF]) || hasTrailingComma(input) || hasInfinite(input)
    }

    private static func hasInfinite(_ input: [UInt8]) -> Bool {
        let parts = input.split { !"0123456789+-.eE".utf8.contains($0) }
        return parts.contains { Double(String(decoding: $0, as: UTF8.self))?.isInfinite == true }
    }

    private static func hasTrailingComma(_ input: [UInt8]) -> Bool {
        let dense = input.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return zip(dense, dense.dropFirst()).contains {
            $0 == UInt8(ascii: ",") && ($1 == UInt8(ascii: "]") || $1 == UInt8(ascii: "}"))
        }
    }

    static func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .bool(let flag): return (theirs as? Bool) == flag
        case .integer(let number): return (theirs as? NSNumber)?.int64Value == Int64(number)
        case .number(let number):
            guard let other = (theirs as? NSNumber)?.doubleValue else { return false }
            // Foundation keeps some numbers as decimals, whose last bit may differ.
            return number == other || abs(number - other) <= abs(number) * 1e-14
        case .string(let text): return (theirs as? String).map { isSpelledAlike(unmarked($0), unmarked(text)) } ?? false
        case .array(let items):
            guard let other = theirs as? [Any], other.count == items.count else { return false }
            return zip(items, other).allSatisfy(isSame)
        case .object(let object):
            guard let other = theirs as? [String: Any], other.count <= object.members.count else { return false }
            let byName = Dictionary(other.map { (unmarked($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            // Fewer when only marks made two names differ.
            return byName.count < object.members.count
                || object.members.allSatisfy { member in
                    byName[unmarked(member.name)].map { isSame(member.value, $0) } ?? false
                }
        }
    }

    /// Foundation loses U+FEFF after an escape: it reads a string in pieces, and takes it for the byte order mark of
    /// one.
    private static func unmarked(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
    }
}
