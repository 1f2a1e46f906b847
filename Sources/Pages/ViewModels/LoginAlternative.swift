/// Another way of logging in.
public struct LoginAlternative: Sendable {
    let label: String, href: String

    public init(label: String, href: String) {
        (self.label, self.href) = (ShownText.tidy(label) ?? "?", ShownText.ownLink(href) ?? "/")
    }
}
