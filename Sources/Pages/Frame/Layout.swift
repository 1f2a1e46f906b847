import Base
import Mustache

private struct Frame: Sendable {
    let language: String, title: String, content: String, rsd: String?, script: String?, isWatching: Bool, isDoor: Bool
    let motto: String, section: PageSection?
    let style = "/assets/pando.css?v=\(Stylesheet.version)", icon = Mark.icon
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
        "phones": OtherPhones.template,
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
        <title>{{title}} · Pando</title>
        <link rel="stylesheet" href="{{style}}">
        {{#section}}<link rel="stylesheet" href="{{sheet}}">
        {{/section}}        <link rel="icon" type="image/svg+xml" href="{{icon}}">
        {{#rsd}}<link rel="ServiceAPI" type="application/x-rsd+json" title="RSD" href="{{.}}">{{/rsd}}
        {{#script}}<script src="{{.}}" defer></script>{{/script}}{{#isWatching}}
        <noscript><meta http-equiv="refresh" content="3"></noscript>{{/isWatching}}
        </head>
        <body{{#isDoor}} class="door"{{/isDoor}}\
        {{#section}} class="{{name}}"{{/section}}>
        <header>{{#isDoor}}<p class="brand">{{> mark}}Pando</p>{{/isDoor}}{{^isDoor}}<a class="brand" href="/">{{> \
        mark}}Pando</a>{{/isDoor}}{{#section}}{{{head}}}{{/section}}</header>
        <main>
        {{{content}}}
        </main>
        {{#section}}{{{navigation}}}
        {{/section}}        <footer><p>{{motto}}</p></footer>
        </body>
        </html>
        """

    /// `model` rendered by the template `name`, in the frame. It, `PagePart` and `PageSection` are the only
    /// HTML that goes in unescaped. A door is a page with one thing to do, beside the grove; others are wide and lead home. A page that
    /// `watches` is loaded again when something changed (`WatchScript`), so nothing may be typed on it. `script` is the
    /// address of another. `section` is the part of the server that the page is of, where that has a frame of its own.
    public func render(
        _ name: String, title: String, language: Language = .en, rsd: String? = nil, door: Bool = false,
        watches: Bool = false, script: String? = nil, section: PageSection? = nil, _ model: some Sendable
    ) -> String {
        let frame = Frame(
            language: language.rawValue, title: title, content: library.render(model, withTemplate: name) ?? "",
            rsd: rsd, script: watches ? WatchScript.address : script, isWatching: watches, isDoor: door,
            motto: language.strings.frame.motto, section: section)
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
