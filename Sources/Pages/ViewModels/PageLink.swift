/// A link within this server, or to another by http(s), in words of ours.
public struct PageLink: Sendable {
    let label: String, href: String

    /// `nil` for what is no such link.
    public init?(label: String, href: String) {
        guard let href = ShownText.ownLink(href) else { return nil }
        (self.label, self.href) = (label, href)
    }
}
