import Base
import Mustache

private struct Frame: Sendable {
    let language: String, title: String, content: String, rsd: String?, script: String?, isWatching: Bool, isDoor: Bool
    /// Of Pando alone: others have words of their own on the home page.
    let motto: String?
    let style = "/assets/pando.css?v=\(Stylesheet.version)"
    let brandName: String, logo: String?, brandStyle: String?, icon: String, iconType: String
    let support: String?, privacy: String?, terms: String?, hasLinks: Bool
    let languages: LanguageSwitch?, strings: SharedStrings<Strings>, section: PageSection?

    init(
        _ place: PagePlace, _ language: Language?, title: String, content: String, rsd: String?, script: String?,
        isWatching: Bool, isDoor: Bool, section: PageSection?
    ) {
        let shown = language ?? .en, brand = place.brand
        (self.language, self.title, self.content, self.rsd) = (shown.rawValue, title, content, rsd)
        (self.script, self.isWatching, self.isDoor, strings) = (script, isWatching, isDoor, shown.strings)
        (brandName, logo, brandStyle) = (ShownText.tidy(brand.name) ?? "?", brand.logoAddress, brand.styleAddress)
        (icon, iconType) = (brand.logoAddress ?? Mark.icon, brand.logo?.type ?? "image/svg+xml")
        (support, privacy, terms) = (brand.support, brand.privacy, brand.terms)
        hasLinks = support != nil || privacy != nil || terms != nil
        motto = brand === Brand.pando ? shown.strings.frame.motto : nil
        self.section = section
        languages = LanguageSwitch(language, at: place.address)
    }
}

/// The pages of one target: its templates, and the frame of every page: title, content, footer.
public struct Layout: Sendable {
    /// By name, with the parts that all targets have.
    let templates: [String: String]
    private let library: MustacheLibrary

    /// Before any template is read, and once: the table of content types has no lock.
    private static let escaping: Void = MustacheContentTypes.register(PageText(), named: PageText.name)

    /// `templates` by name: pages, and what several of them have. They include each other and `parts` by `{{> name}}`.
    public init(_ templates: [String: String]) {
        _ = Layout.escaping
        self.templates = Layout.parts.merging(templates) { $1 }
        var library = MustacheLibrary()
        for (name, template) in self.templates {
            let escaped = "{{% CONTENT_TYPE: \(PageText.name)}}" + template
            guard let template = try? MustacheTemplate(string: escaped) else { continue }
            library.register(template, named: name)
        }
        self.library = library
    }

    /// What pages of any target may have.
    private static let parts = [
        "layout": layout, "mark": Mark.template, "host": ClientShown.hostTemplate, "links": ClientShown.linksTemplate,
        "person": PersonShown.template, "code": CodeShown.template, "doors": OtherDoors.template,
        "phones": OtherPhones.template, "languages": LanguageSwitch.template,
        "brand":
            "{{#logo}}<img class=\"mark\" src=\"{{.}}\" alt=\"\">{{/logo}}{{^logo}}{{> mark}}{{/logo}}{{brandName}}",
    ]

    static let pages = Layout([
        "service": ServicePage.template, "problem": ProblemPage.template, "phoneWait": PhoneWaitPage.template,
        "phoneSetup": PhoneSetupPage.template, "phoneEnding": PhoneEndingPage.template,
    ])

    private static let layout = """
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} · {{brandName}}</title>
        <link rel="stylesheet" href="{{style}}">{{#brandStyle}}
        <link rel="stylesheet" href="{{.}}">{{/brandStyle}}{{#section}}
        <link rel="stylesheet" href="{{sheet}}">{{/section}}
        <link rel="icon" type="{{iconType}}" href="{{icon}}">
        {{#rsd}}<link rel="ServiceAPI" type="application/x-rsd+json" title="RSD" href="{{.}}">{{/rsd}}
        {{#script}}<script src="{{.}}" defer></script>{{/script}}{{#isWatching}}
        <noscript><meta http-equiv="refresh" content="3"></noscript>{{/isWatching}}
        </head>
        <body{{#isDoor}} class="door"{{/isDoor}}\
        {{#section}} class="{{name}}"{{/section}}>
        <header>{{#isDoor}}<p class="brand">{{> brand}}</p>{{/isDoor}}{{^isDoor}}<a class="brand" href="/">{{> \
        brand}}</a>{{/isDoor}}{{#section}}{{{head}}}{{/section}}</header>
        <main>
        {{{content}}}
        </main>
        {{#section}}{{{navigation}}}
        {{/section}}        <footer>{{#motto}}<p>{{.}}</p>{{/motto}}{{#hasLinks}}<p class="links">{{#support}}<a \
        href="{{.}}">{{strings.frame.support}}</a>{{/support}}{{#privacy}}<a \
        href="{{.}}">{{strings.frame.policy}}</a>{{/privacy}}{{#terms}}<a \
        href="{{.}}">{{strings.frame.terms}}</a>{{/terms}}</p>{{/hasLinks}}{{#languages}}{{> \
        languages}}{{/languages}}</footer>
        </body>
        </html>
        """

    /// `model` rendered by the template `name`, in the frame. It, `PagePart` and `PageSection` are the only HTML that
    /// goes in unescaped. A door is a page with one thing to do, beside the grove; others are wide and lead home. A
    /// page that `watches` is loaded again when something changed (`WatchScript`), so nothing may be typed on it.
    /// `script` is the address of another. `section` is the part of the server that the page is of, where that has a
    /// frame of its own. Without a `language` it is in English for everybody, and
    /// there is none to choose.
    public func render(
        _ name: String, title: String, language: Language? = nil, rsd: String? = nil, door: Bool = false,
        watches: Bool = false, script: String? = nil, section: PageSection? = nil, _ model: some Sendable
    ) -> String {
        let frame = Frame(
            PagePlace.current, language, title: title, content: library.render(model, withTemplate: name) ?? "",
            rsd: rsd, script: watches ? WatchScript.address : script, isWatching: watches, isDoor: door,
            section: section)
        return library.render(frame, withTemplate: "layout") ?? ""
    }

    /// A part of the server with a frame of its own: the templates `head`, beside the brand, and `navigation`, rendered
    /// with `model`. `sheet` is the address of its style sheet, `name` its class.
    public func section(
        _ name: String, sheet: String, head: String, navigation: String, _ model: some Sendable
    ) -> PageSection {
        PageSection(
            name: name, sheet: sheet, head: library.render(model, withTemplate: head) ?? "",
            navigation: library.render(model, withTemplate: navigation) ?? "")
    }

    /// `model` rendered by the template `name`, for a page of another target. `script` is what that page must load.
    public func part(_ name: String, script: String, _ model: some Sendable) -> PagePart {
        PagePart(html: library.render(model, withTemplate: name) ?? "", script: script)
    }
}

/// What a page has of another target, rendered by that one's `Layout`.
public struct PagePart: Sendable {
    let html: String
    public let script: String
}

/// What pages of one part of the server have around them, besides what all pages have; made by `Layout.section`.
public struct PageSection: Sendable {
    let name: String, sheet: String, head: String, navigation: String
}
