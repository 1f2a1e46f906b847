/// Under whose name this server shows itself.
public final class Brand: Sendable {
    /// In place of the leaf.
    public struct Logo: Sendable {
        public let bytes: [UInt8]
        /// `image/svg+xml` or `image/png`.
        public let type: String
        let version: String

        public init(bytes: [UInt8], type: String, version: String) {
            (self.bytes, self.type, self.version) = (bytes, type, version)
        }
    }

    /// What the home page says to people.
    public struct Home: Sendable {
        public let title: String
        public let paragraphs: [String]

        public init(title: String, paragraphs: [String]) { (self.title, self.paragraphs) = (title, paragraphs) }
    }

    public let name: String
    public let logo: Logo?
    public let colours: BrandColours?
    public let support: String?
    public let privacy: String?
    public let terms: String?
    /// Whom to tell of a hole in the server (RFC 9116).
    public let securityContact: String?
    private let home: [Language: Home]

    /// `support` may be a `mailto:` address, `securityContact` a `tel:` one too, the others are URLs; whoever makes a
    /// brand has looked at all of them.
    public init(
        name: String, logo: Logo? = nil, colours: BrandColours? = nil, support: String? = nil, privacy: String? = nil,
        terms: String? = nil, home: [Language: Home] = [:], securityContact: String? = nil
    ) {
        (self.name, self.logo, self.colours) = (name, logo, colours)
        (self.support, self.privacy, self.terms, self.home) = (support, privacy, terms, home)
        self.securityContact = securityContact
    }

    /// Of a server that nobody gave another.
    public static let pando = Brand(name: "Pando")

    /// `nil` in languages for which nothing was written.
    public func home(in language: Language) -> Home? { home[language] }

    var logoAddress: String? { logo.map { "/assets/brand-logo?v=\($0.version)" } }
    var styleAddress: String? { colours.map { "/assets/brand.css?v=\($0.version)" } }
}

/// Where a page is shown: whoever answers a request for one says it, so that no page has to be handed it.
public struct PagePlace: Sendable {
    public let brand: Brand
    /// Path and query by which it can be loaded again, in another language; `nil` for the answer to a form.
    let address: String?

    @TaskLocal public static var current = PagePlace(.pando, address: nil)

    private static let longest = 2_000

    public init(_ brand: Brand, address: String?) {
        self.brand = brand
        self.address = address.flatMap { $0.utf8.count <= PagePlace.longest && PagePlace.isOurs($0) ? $0 : nil }
    }

    /// A path of this server, which no browser takes for another host's.
    public static func isOurs(_ address: String) -> Bool {
        address.hasPrefix("/") && !address.hasPrefix("//")
            && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    }
}

/// Links to the languages of a page, for its footer: a form without script, whose answer remembers the choice.
struct LanguageSwitch: Sendable {
    struct Choice: Sendable { let code: String, name: String, isCurrent: Bool }

    let label: String, address: String
    let choices: [Choice]

    init?(_ language: Language?, at address: String?) {
        guard let language, let address else { return nil }
        (label, self.address) = (language.strings.frame.language, address)
        choices = Language.allCases.map { Choice(code: $0.rawValue, name: $0.name, isCurrent: $0 == language) }
    }

    static let template = """
        <form class="languages" method="get" action="/language" aria-label="{{label}}"><input type="hidden" \
        name="to" value="{{address}}">{{#choices}}<button name="ui_locales" value="{{code}}" \
        lang="{{code}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{name}}</button>{{/choices}}</form>
        """
}

extension Language {
    /// In itself.
    public var name: String {
        switch self {
        case .en: "English"
        case .de: "Deutsch"
        case .fr: "Français"
        case .it: "Italiano"
        }
    }
}
