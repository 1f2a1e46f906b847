/// Home page of a service: what it speaks, and where its RSD2 document is.
public struct ServicePage: Sendable {
    let name: String, base: String, rsd: String, protocols: [String]

    public init(name: String, base: String, rsd: String, protocols: [String]) {
        self.base = ShownText.tidy(base, limit: 400) ?? "?"
        self.name = ShownText.tidy(name) ?? self.base
        (self.rsd, self.protocols) = (rsd, protocols.compactMap { ShownText.tidy($0) })
    }

    public var html: String { Layout.pages.render("service", title: name, rsd: rsd, self) }

    static let template = """
        <h1><bdi>{{name}}</bdi></h1>
        <p class="lead">A service of this federation. Apps find it by the protocols it speaks:</p>
        <ul class="cards">
        {{#protocols}}<li><code>{{.}}</code></li>
        {{/protocols}}</ul>
        <a class="button" href="{{rsd}}">Service description (RSD2)</a>
        <p class="quiet">Base address <code>{{base}}</code></p>
        """
}
