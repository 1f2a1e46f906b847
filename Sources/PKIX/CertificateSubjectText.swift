import SwiftASN1

/// RFC 4514, 3, read: what an operator or a client wrote down.
extension CertificateSubject {
    /// `nil` for what is no such name. Spaces around `,`, `+` and `=` are taken (RFC 4514 forbids them, OpenSSL writes
    /// them).
    public init?(_ text: String) {
        guard text.utf8.count <= 4096 else { return nil }
        var parts: [Set<Attribute>] = [], part: Set<Attribute> = []
        var rest = Array(text.unicodeScalars)[...]
        rest = rest.drop { $0 == " " }
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "="), let type = Self.type(rest[..<equals]) else { return nil }
            rest = rest[(equals + 1)...].drop { $0 == " " }
            guard let value = Self.value(&rest), part.insert(Attribute(type: type, value: value)).inserted else {
                return nil
            }
            guard let separator = rest.popFirst() else {
                parts.append(part)
                break
            }
            if separator == "," {
                parts.append(part)
                part = []
            }
            rest = rest.drop { $0 == " " }
            guard !rest.isEmpty else { return nil }
        }
        self.parts = parts
    }

    private static func type(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
        let word = String(String.UnicodeScalarView(scalars)).trimmingPrefix(" ").reversed().drop { $0 == " " }
            .reversed()
        let text = String(word), lower = text.lowercased()
        if let known = names.first(where: { $0.name.lowercased() == lower }) { return known.type }
        let arcs = text.split(separator: ".", omittingEmptySubsequences: false)
        return arcs.count >= 2 && arcs.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
            ? text : nil
    }

    /// Up to `,` or `+`, which stays in `rest`.
    private static func value(_ rest: inout ArraySlice<Unicode.Scalar>) -> Attribute.Value? {
        if rest.first == "#" {
            let digits = rest.dropFirst().prefix { $0 != "," && $0 != "+" && $0 != " " }
            rest = rest[digits.endIndex...].drop { $0 == " " }
            guard !digits.isEmpty, digits.count.isMultiple(of: 2), isAtEnd(rest) else { return nil }
            let nibbles = digits.compactMap { nibble($0) }
            guard nibbles.count == digits.count else { return nil }
            let der = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
            return (try? ASN1Any(derEncoded: der)).map { Attribute.Value($0) }
        }
        var bytes: [UInt8] = [], kept = 0
        while let scalar = rest.first, scalar != ",", scalar != "+" {
            rest = rest.dropFirst()
            switch scalar {
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                if let high = nibble(escaped) {
                    guard let low = rest.popFirst().flatMap({ nibble($0) }) else { return nil }
                    bytes.append(high << 4 | low)
                } else {
                    guard " \"#+,;<=>\\".unicodeScalars.contains(escaped) else { return nil }
                    bytes += String(escaped).utf8
                }
                kept = bytes.count
            case "\"", ";", "<", ">", "\0": return nil
            case " ": bytes.append(0x20)
            default:
                bytes += String(scalar).utf8
                kept = bytes.count
            }
        }
        return String(validating: bytes[..<kept], as: UTF8.self).map { .text($0) }
    }

    private static func isAtEnd(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        rest.first == nil || rest.first == "," || rest.first == "+"
    }

    private static func nibble(_ scalar: Unicode.Scalar) -> UInt8? {
        scalar.isASCII ? Character(scalar).hexDigitValue.map { UInt8($0) } : nil
    }
}
