/// The members of an `X-PowerAuth-…` header (protocols/operations.md, 4.5 and 4.8): `PowerAuth a="…", b="…"` from iOS,
/// without the commas from Android.
struct HeaderMembers {
    /// Ours are below 500 bytes.
    static let maximum = 2048

    private let members: [String: String]

    /// `headerMissing` for none, `headerMalformed` for another scheme, another grammar, a member twice, or what is no
    /// printable ASCII.
    init(_ header: String?) throws(PowerAuthRefusal) {
        guard let header, !header.isEmpty else { throw .headerMissing }
        guard header.utf8.count <= Self.maximum else { throw .headerMalformed }
        var rest = Array(header.utf8)[...]
        guard String(decoding: rest.prefix(9), as: UTF8.self).lowercased() == "powerauth" else {
            throw .headerMalformed
        }
        rest = rest.dropFirst(9)
        guard let first = rest.first, Self.isBlank(first) else { throw .headerMalformed }
        var members: [String: String] = [:]
        while true {
            let separators = rest.prefix { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            rest = rest.dropFirst(separators.count)
            if rest.isEmpty { break }
            guard !separators.isEmpty, let (name, value) = Self.member(&rest) else { throw .headerMalformed }
            guard members.updateValue(value, forKey: name) == nil else { throw .headerMalformed }
        }
        self.members = members
    }

    /// `headerMalformed` when it is missing or empty.
    func text(_ name: String) throws(PowerAuthRefusal) -> String {
        guard let value = members[name], !value.isEmpty else { throw .headerMalformed }
        return value
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// Base64 of exactly so many bytes.
    func bytes(_ name: String, count: Int) throws(PowerAuthRefusal) -> [UInt8] {
        guard let bytes = Base64Text.decode(try text(name), count: count) else { throw .headerMalformed }
        return bytes
    }

    /// `versionUnsupported` for what is none of `allowed`.
    func version(_ name: String, _ allowed: Set<PowerAuthVersion>) throws(PowerAuthRefusal) -> PowerAuthVersion {
        guard let version = PowerAuthVersion(rawValue: try text(name)), allowed.contains(version) else {
            throw .versionUnsupported
        }
        return version
    }

    /// A UUID in small letters, which all of our identifiers are.
    func identifier(_ name: String) throws(PowerAuthRefusal) -> String {
        let value = try text(name)
        guard Self.isIdentifier(value) else { throw .headerMalformed }
        return value
    }

    static func isIdentifier(_ text: String) -> Bool {
        let letters = Array(text.utf8)
        guard letters.count == 36 else { return false }
        return letters.indices.allSatisfy { index in
            switch letters[index] {
            case UInt8(ascii: "-"): [8, 13, 18, 23].contains(index)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                ![8, 13, 18, 23].contains(index)
            default: false
            }
        }
    }

    private static func isBlank(_ letter: UInt8) -> Bool { letter == 0x20 || letter == 0x09 }

    private static func member(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)? {
        let name = rest.prefix { isNameLetter($0) }
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), rest.popFirst() == UInt8(ascii: "\"") else {
            return nil
        }
        let value = rest.prefix { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        rest = rest.dropFirst(value.count)
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private static func isNameLetter(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
