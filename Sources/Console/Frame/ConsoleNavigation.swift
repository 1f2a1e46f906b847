import Administration
import Base
import Pages

/// Where one can go: pages whose command this person may run.
struct ConsoleNavigation: Sendable {
    struct Item: Sendable { let href: String, label: String, isActive: Bool }
    struct Group: Sendable { let id: String, title: String, items: [Item] }

    /// A place of the navigation: an address, and the command behind it, whose words give its name.
    struct Place: Sendable {
        let href: String, words: [String]

        /// Of a list, at the address that `CatalogPages` gives it.
        init(_ words: String...) { (href, self.words) = (CatalogPages.path(words), words) }

        /// Of a page that is made by hand.
        init(_ href: String, of words: String...) { (self.href, self.words) = (href, words) }
    }

    static let groups: [(name: String, places: [Place])] = [
        (
            "people",
            [
                Place("accounts", "list"), Place("institutions", "list"), Place("providers", "list"),
                Place("roles", "list"),
            ]
        ),
        ("apps", [Place("apps", "list"), Place("instances", "list")]),
        (
            "services",
            [
                Place("services", "list"), Place("services", "proposals", "list"), Place("crawl", "status"),
                Place("events", "status"), Place("clients", "list"),
            ]
        ),
        (
            "devices",
            [
                Place("tiqr", "identities", "list"), Place("operations", "registrations", "list"),
                Place("operations", "list"), Place("passkeys", "list"), Place("wallets", "list"),
            ]
        ),
        (
            "tree",
            [
                Place("/admin/tree", of: "tree", "show"), Place("/admin/why", of: "tokens", "why"),
                Place("/admin/audit", of: "audit", "list"),
            ]
        ),
        ("server", [Place("keys", "list"), Place("epoch", "show"), Place("config", "show")]),
    ]

    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<ConsoleStrings>
    let person: String, isAtStart: Bool, groups: [Group]

    init(_ request: ConsoleRequest, active: String) {
        let words = request.words
        (language, strings, self.words) = (request.language, request.language.strings, words)
        person = ShownText.tidy(request.person.account.username) ?? "?"
        isAtStart = active == "/admin"
        var groups: [Group] = []
        for (name, places) in Self.groups {
            var items: [Item] = []
            for place in places where request.mayOpen(place.words) {
                let label = words.title(place.words)
                items.append(Item(href: place.href, label: label, isActive: place.href == active))
            }
            if !items.isEmpty { groups.append(Group(id: "go-\(name)", title: words.noun(name), items: items)) }
        }
        self.groups = groups
    }

    static let head = """
        <p class="who"><span class="quiet"><span class="unseen">{{strings.frame.loggedInAs}} \
        </span><bdi>{{person}}</bdi></span> <a href="/account">{{words.yourAccount}}</a> \
        <a class="menu" href="#menu">{{words.menu}}</a></p>
        """

    static let template = """
        <nav id="menu" aria-label="{{words.console}}">
        <p><a href="/admin"{{#isAtStart}} aria-current="page"{{/isAtStart}}>{{words.overview}}</a></p>
        {{#groups}}<h2 id="{{id}}">{{title}}</h2>
        <ul aria-labelledby="{{id}}">
        {{#items}}<li><a href="{{href}}"{{#isActive}} aria-current="page"{{/isActive}}>{{label}}</a></li>
        {{/items}}</ul>
        {{/groups}}</nav>
        """
}
