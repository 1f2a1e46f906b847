/// What other vendors keep with a trace (W3C Trace Context, 3.3). This server adds nothing to it and takes nothing from
/// it: it is handed on.
public struct TraceState: Sendable, Equatable {
    public static let empty = TraceState(members: [])

    /// Members of a list at most; more make no list (3.3.1.1).
    static let most = 32
    /// Bytes that are handed on (3.3.1.5).
    static let longest = 512
    /// Members beyond it go first where it is too long.
    private static let long = 128

    private let members: [String]

    private init(members: [String]) { self.members = members }

    /// As it goes to the next; empty where there is nothing to be told.
    public var text: String { members.joined(separator: ",") }

    /// `nil` where one of the members is none, two have the same key, or there are too many. Several headers are one
    /// list, in their order.
    init?(_ values: [String]) {
        var members: [String] = [], keys: Set<String> = []
        for part in values.joined(separator: ",").split(separator: ",") {
            let member = part.trimming { $0 == " " || $0 == "\t" }
            guard !member.isEmpty else { continue }
            guard let equals = member.firstIndex(of: "="), TraceState.isKey(member[..<equals]),
                TraceState.isValue(member[member.index(after: equals)...]), members.count < TraceState.most,
                keys.insert(String(member[..<equals])).inserted
            else { return nil }
            members.append(String(member))
        }
        self.init(members: TraceState.fitting(members))
    }

    /// Whole members go: the long ones, then those at the end, which are the oldest.
    private static func fitting(_ all: [String]) -> [String] {
        var members = all
        var length = members.reduce(-1) { $0 + $1.utf8.count + 1 }
        for index in members.indices.reversed() where length > longest && members[index].utf8.count > long {
            length -= members.remove(at: index).utf8.count + 1
        }
        while length > longest, let last = members.popLast() { length -= last.utf8.count + 1 }
        return members
    }

    /// `vendor`, or `tenant@vendor` (3.3.1.3.1; a digit at the front of either is Level 2's).
    private static func isKey(_ key: Substring) -> Bool {
        let parts = key.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return isName(parts[0], longest: 256)
        case 2: return isName(parts[0], longest: 241) && isName(parts[1], longest: 14)
        default: return false
        }
    }

    private static func isName(_ name: Substring.UTF8View.SubSequence, longest: Int) -> Bool {
        guard let first = name.first, name.count <= longest, isLetterOrDigit(first) else { return false }
        return name.allSatisfy { isLetterOrDigit($0) || "_-*/".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Letters of ASCII but comma and equals sign; blanks do not end it, since those around members are cut off.
    private static func isValue(_ value: Substring) -> Bool {
        (1...256).contains(value.utf8.count)
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}

extension Substring {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return self[first...last]
    }
}
