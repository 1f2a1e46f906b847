/// An address as mail servers take it (RFC 5321, 4.1.2: a dot-string at a domain), in ASCII. Nothing in it can end a
/// line or an envelope.
public struct MailAddress: Sendable, Equatable {
    public let text: String

    /// `nil` for what is none.
    public init?(_ text: String) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, text.utf8.count <= 254, halves[0].utf8.count <= 64,
            MailAddress.areLabels(halves[0], of: MailAddress.isAtom),
            MailAddress.areLabels(halves[1], of: MailAddress.isLabel)
        else { return nil }
        self.text = text
    }

    private static func areLabels(_ text: Substring, of isLetter: (UInt8) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.allSatisfy(isLetter)
        }
    }

    /// RFC 5322, 3.2.3.
    private static func isAtom(_ byte: UInt8) -> Bool { isLabel(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte) }

    private static func isLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Whom a message is from: an address, and a name before it.
public struct MailSender: Sendable, Equatable {
    public let name: String?
    public let address: MailAddress

    /// `Name <address>`, or an address alone. `nil` for what is neither, or has a control in it.
    public init?(_ text: String) {
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        if let match = text.wholeMatch(of: #/\s*([^<>]*?)\s*<([^<>]+)>\s*/#) {
            guard let address = MailAddress(String(match.2)) else { return nil }
            let name = String(match.1)
            (self.name, self.address) = (name.isEmpty ? nil : name, address)
        } else {
            guard let address = MailAddress(text) else { return nil }
            (name, self.address) = (nil, address)
        }
    }
}
