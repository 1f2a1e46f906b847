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

    /// The first five that may lead to a document: `ServiceAPI`, then `EditURI`, each in order. A type with `yaml` is
    /// passed over.
    static func candidates(_ links: [FoundLink]) -> [FoundLink] {
        let wanted = ["serviceapi", "edituri"].flatMap { rel in
            links.filter { $0.rel.contains(rel) && !$0.type.lowercased().contains("yaml") }
        }
        return Array(wanted.prefix(5))
    }
}
