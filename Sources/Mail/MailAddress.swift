/// An address as mail servers take it (RFC 5321, 4.1.2: a dot-string at a domain), in ASCII. Nothing in it can end a
/// line or an envelope.
public struct MailAddress: Sendable, Equatable {
    public let text: String

    /// `nil` for what is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 254, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            text.wholeMatch(
                of: #/[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+(?:\.[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+)*@[A-Za-z0-9](?:[A-Za-z0-9.\-]*[A-Za-z0-9])?/#
            ) != nil, text.utf8.prefix(65).contains(UInt8(ascii: "@")), !text.contains("..")
        else { return nil }
        self.text = text
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
