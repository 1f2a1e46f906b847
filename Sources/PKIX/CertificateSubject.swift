import SwiftASN1
import X509

/// A distinguished name in the form of RFC 4514: relative names from the most specific one on, each a set of
/// attributes.
///
/// Strings compare by their characters whatever ASN.1 type holds them, so that PrintableString and UTF8String are one
/// name (RFC 5280, 7.1); what is no string compares by its DER. No folding of case or of inner spaces: stricter than
/// RFC 5280, and never surprising.
public struct CertificateSubject: Sendable, Equatable, CustomStringConvertible {
    public struct Attribute: Sendable, Hashable {
        public enum Value: Sendable, Hashable { case text(String), der([UInt8]) }

        /// Dotted.
        public let type: String
        public let value: Value
    }

    public let parts: [Set<Attribute>]

    public init(_ name: DistinguishedName) {
        parts = name.reversed().map { part in
            Set(part.map { Attribute(type: $0.type.description, value: Attribute.Value(ASN1Any($0.value))) })
        }
    }

    /// RFC 4514, 3: the names that every reader knows, and the three that tools write besides.
    static let names: [(name: String, type: String)] = [
        ("CN", "2.5.4.3"), ("L", "2.5.4.7"), ("ST", "2.5.4.8"), ("O", "2.5.4.10"), ("OU", "2.5.4.11"), ("C", "2.5.4.6"),
        ("STREET", "2.5.4.9"),
        ("DC", "0.9.2342.19200300.100.1.25"), ("UID", "0.9.2342.19200300.100.1.1"),
        ("emailAddress", "1.2.840.113549.1.9.1"), ("E", "1.2.840.113549.1.9.1"), ("serialNumber", "2.5.4.5"),
    ]

    /// Writing out what has been parsed cannot fail; were it to, the value would equal no other.
    static func bytes(_ value: some DERSerializable) -> [UInt8] {
        var serializer = DER.Serializer()
        return (try? serializer.serialize(value)) == nil ? [] : serializer.serializedBytes
    }

    /// RFC 4514, 2.
    public var description: String {
        parts.map { part in part.map(\.description).sorted().joined(separator: "+") }.joined(separator: ",")
    }
}

extension CertificateSubject.Attribute.Value {
    /// What is a string in any of the types that authorities use becomes one.
    init(_ any: ASN1Any) {
        let der = CertificateSubject.bytes(any)
        if let text = String(RelativeDistinguishedName.Attribute.Value(asn1Any: any)) {
            self = .text(text)
        } else if let wide = try? ASN1BMPString(derEncoded: der), wide.bytes.count.isMultiple(of: 2),
            let text = String(validating: wide.bytes.utf16, as: UTF16.self)
        {
            self = .text(text)
        } else {
            self = .der(der)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Pairs, the higher byte first.
    fileprivate var utf16: [UInt16] {
        stride(from: startIndex, to: endIndex, by: 2).map { UInt16(self[$0]) << 8 | UInt16(self[$0 + 1]) }
    }
}

extension CertificateSubject.Attribute: CustomStringConvertible {
    public var description: String {
        let name = CertificateSubject.names.first { $0.type == type }?.name
        switch value {
        case .text(let text):
            // 2.4: a type without a name has its value in hexadecimal.
            guard let name else { return "\(type)=#" + Self.hex(CertificateSubject.bytes(ASN1UTF8String(text))) }
            return "\(name)=\(Self.escaped(text))"
        case .der(let bytes): return "\(name ?? type)=#" + Self.hex(bytes)
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// RFC 4514, 2.4.
    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        return scalars.enumerated().map { index, scalar in
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": "\\\(scalar)"
            case " " where index == 0 || index == scalars.count - 1: "\\ "
            case "#" where index == 0: "\\#"
            case "\0": "\\00"
            default: String(scalar)
            }
        }.joined()
    }
}
