/// Another way of logging in.
public struct LoginAlternative: Sendable {
    let label: String, href: String

    public init(label: String, href: String) {
        (self.label, self.href) = (ShownText.tidy(label) ?? "?", ShownText.ownLink(href) ?? "/")
    }

    /// Leads on without the level that a request wishes for.
    public static func withoutLevel(_ href: String, in language: Language) -> LoginAlternative {
        LoginAlternative(label: language.strings.login.withoutLevel, href: href)
    }
}
