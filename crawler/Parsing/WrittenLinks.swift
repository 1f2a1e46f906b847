import Vocabulary

/// The links of a written document made absolute (design/crawler.md, "Links").
struct WrittenLinks: Sendable {
    private let generation: WrittenDocument.Generation
    private let url: WebURL
    private let base: String
    /// Absolute, though perhaps not usable.
    private let home: String
    private let engine: String
    /// The homePageLink when the document has an absolute one: the base of RSD 1.0.
    private let statedHome: String?

    init(document: WrittenDocument, url: WebURL, base: String) {
        generation = document.generation
        self.url = url
        self.base = base
        let stated = WrittenLinks.tidied(document.homePageLink, url)
        statedHome = RSDLink.isAbsolute(stated) ? stated : nil
        home = stated.isEmpty ? base : statedHome ?? WrittenLinks.resolved(stated, against: url.description)
        engine = RSDLink.expanded(WrittenLinks.tidied(document.engineLink, url), on: home)
    }

    /// What apps are told; a link that nobody should follow is replaced by the next more significant one.
    var shownHome: String { RSDLink.isUsable(home) ? home : base }
    var shownEngine: String { RSDLink.isUsable(engine) ? engine : shownHome }

    /// `nil` when the api must be dropped.
    func link(of api: WrittenAPI) -> String? {
        let written = WrittenLinks.tidied(api.link, url)
        let link: String
        switch generation {
        case .two: link = RSDLink.expanded(written, on: engine)
        case .one:
            guard !written.isEmpty else { return nil }
            link =
                RSDLink.isAbsolute(written)
                ? written : WrittenLinks.resolved(written, against: statedHome ?? url.description)
        }
        return RSDLink.isUsable(link) ? link : nil
    }

    /// Trimmed, without line breaks and tabs, inner blanks encoded; `//host` gets the scheme of the document's URL.
    private static func tidied(_ link: String?, _ url: WebURL) -> String {
        let text = (link ?? "").unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\t" }
        let tidy = String(String(String.UnicodeScalarView(text)).trimmingBlanks).replacing(" ", with: "%20")
        return tidy.hasPrefix("//") ? (url.isSecure ? "https:" : "http:") + tidy : tidy
    }

    private static func resolved(_ link: String, against base: String) -> String {
        URIReference(link).resolved(against: URIReference(base)).text
    }
}
