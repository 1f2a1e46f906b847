import Base

/// Links of RSD2 documents: what is absolute, how the three levels are joined (rsd2-specification, "Links").
///
/// RSD2 joins by plain concatenation, not by RFC 3986: a leading slash is not the root of the host.
public enum RSDLink {
    /// The longest link that is kept, in characters.
    public static let longest = 2_048

    /// Contains `://` with neither `:` nor `/` before it, and something before it. By bytes: a combining mark hides no
    /// colon.
    public static func isAbsolute(_ link: some StringProtocol) -> Bool {
        let bytes = link.utf8
        guard let first = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            first != bytes.startIndex
        else { return false }
        return bytes[first...].starts(with: "://".utf8)
    }

    /// `base` and `part` with exactly one `/` between them; an empty part adds nothing.
    public static func joined(_ base: String, _ part: String) -> String {
        guard !part.isEmpty else { return base }
        guard !base.isEmpty else { return part }
        let slash: Unicode.Scalar = "/"
        var head = base.unicodeScalars[...]
        while head.last == slash { head.removeLast() }
        return String(head) + "/" + String(part.unicodeScalars.drop { $0 == slash })
    }

    /// `link` when it is absolute, else `base` and `link` joined.
    public static func expanded(_ link: String, on base: String) -> String {
        isAbsolute(link) ? link : joined(base, link)
    }

    /// Whether apps may be given the link: http or https, a host that all read alike (`WebAddress`), no user
    /// information, nothing that breaks a line, not too long.
    public static func isUsable(_ link: String) -> Bool {
        let scalars = link.unicodeScalars
        guard isAbsolute(link), scalars.count <= longest, let colon = scalars.firstIndex(of: ":"),
            scalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
        else { return false }
        let authority = scalars[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return WebAddress(String(scalars[..<colon]) + "://" + String(authority)) != nil
    }
}
