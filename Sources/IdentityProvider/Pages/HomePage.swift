import Pages

/// `/`: where people come who typed the server's name. What it says of itself may be its operator's (`Brand`).
struct HomePage: Sendable {
    struct Service: Sendable {
        let name: String, base: String

        init(name: String, base: String) {
            (self.name, self.base) = (ShownText.tidy(name) ?? ShownText.tidy(base) ?? "?", base)
        }
    }

    let language: Language, strings: SharedStrings<Strings>
    let title: String, paragraphs: [String], services: [Service]
    let hasServices: Bool, words: HomeStrings

    init(_ language: Language, services: [Service], brand: Brand = PagePlace.current.brand) {
        (self.language, strings, words, self.services) = (language, language.strings, language.home, services)
        hasServices = !services.isEmpty
        let said = brand.home(in: language)
        title = said.flatMap { ShownText.tidy($0.title) } ?? words.title
        paragraphs = said?.paragraphs.compactMap { ShownText.tidy($0, limit: 2_000) } ?? [words.lead]
    }

    var html: String { Layout.identityProvider.render("home", title: title, language: language, self) }

    static let template = """
        <h1>{{title}}</h1>
        {{#paragraphs}}<p class="lead">{{.}}</p>
        {{/paragraphs}}<ul class="choice"><li><a class="button" \
        href="/login?return_to=/account">{{words.logIn}}</a></li>
        <li><a class="button second" href="/account">{{words.account}}</a></li></ul>
        {{#hasServices}}<section><h2>{{words.services}}</h2>
        <ul class="cards">
        {{#services}}<li><a class="strong" href="{{base}}"><bdi>{{name}}</bdi></a></li>
        {{/services}}</ul></section>
        {{/hasServices}}<p class="quiet"><a href="/about" hreflang="en">{{words.about}}</a></p>
        """
}
