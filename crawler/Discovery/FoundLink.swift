import Vocabulary

/// A link that a page or its headers announce.
struct FoundLink: Equatable, Sendable {
    /// In lower case.
    let rel: [String]
    let type: String
    let href: String

    init(rel: String, type: String, href: String) {
        self.rel = rel.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        self.type = type
        self.href = href
    }

    /// The first five that may lead to a document: `ServiceAPI`, then `EditURI`, each in order. Those whose type has
    /// `yaml` come last: whoever offers another form beside it says more by that.
    static func candidates(_ links: [FoundLink]) -> [FoundLink] {
        let wanted = ["serviceapi", "edituri"].flatMap { rel in links.filter { $0.rel.contains(rel) } }
        let (others, yaml) = (wanted.filter { !$0.isYAML }, wanted.filter(\.isYAML))
        return Array((others + yaml).prefix(5))
    }

    private var isYAML: Bool { type.lowercased().contains("yaml") }
}
