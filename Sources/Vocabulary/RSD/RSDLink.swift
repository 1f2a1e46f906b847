/// Links of RSD2 documents: what is absolute, how the three levels are joined (rsd2-specification, "Links").
///
/// RSD2 joins by plain concatenation, not by RFC 3986: a leading slash is not the root of the host.
public enum RSDLink {
    /// The longest link that is kept, in characters.
    public static let longest = 2_048

    /// Contains `://` with neither `:` nor `/` before it, and something before it.
    public static func isAbsolute(_ link: some StringProtocol) -> Bool {
        guard let first = link.firstIndex(where: { $0 == ":" || $0 == "/" }), first != link.startIndex else { return false }
        return link[first...].hasPrefix("://")
    }

    /// `base` and `part` with exactly one `/` between them; an empty part adds nothing.
    public static func joined(_ base: String, _ part: String) -> String {
        guard !part.isEmpty else { return base }
        guard !base.isEmpty else { return part }
        let head = base.trimmedSuffix("/"), tail = part.drop { $0 == "/" }
        return head + "/" + tail
    }

    /// `link` when it is absolute, else `base` and `link` joined.
    public static func expanded(_ link: String, on base: String) -> String {
        isAbsolute(link) ? link : joined(base, link)
    }

    /// Whether apps may be given the link: http or https, a host, no user information, nothing that breaks a line, not too long.
    public static func isUsable(_ link: String) -> Bool {
        guard isAbsolute(link), link.unicodeScalars.count <= longest, let colon = link.firstIndex(of: ":") else { return false }
        let scheme = link[..<colon].lowercased()
        let rest = link[colon...].dropFirst(3)
        let authority = rest.prefix { !"/?#\\".contains($0) }
        return (scheme == "http" || scheme == "https") && !authority.isEmpty && authority.first != ":" && !authority.contains("@")
            && link.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" }
    }
}

extension String {
    fileprivate func trimmedSuffix(_ character: Character) -> Substring {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return text
    }
}
