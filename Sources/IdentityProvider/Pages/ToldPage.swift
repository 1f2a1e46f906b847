import Federation
import Foundation
import OAuth
import Pages

/// `/account/told`: who was told something about the person, what, when, through what, by which login; and the services
/// that they used. Either list can be emptied.
struct ToldPage: Sendable {
    /// Somebody who was told.
    struct Reader: Sendable {
        let title: String, host: String?, claims: [String], through: String?
        let loginAt: Date?, methods: [String]?, first: Date, last: Date

        /// `title` is the service's name, or the application's; `through` what passed it on, where that is another.
        init(
            title: String, host: String? = nil, claims: [String], through: String? = nil, loginAt: Date? = nil,
            methods: [String]? = nil, first: Date, last: Date
        ) {
            self.title = ShownText.tidy(title, limit: 80) ?? "?"
            self.host = host.flatMap { ShownText.tidy($0, limit: 253) }
            self.claims = claims
            self.through = through.flatMap { ShownText.tidy($0) }
            (self.loginAt, self.methods, self.first, self.last) = (loginAt, methods, first, last)
        }
    }

    /// One that the person used.
    struct Service: Sendable {
        let name: String, host: String?, last: Date
    }

    /// The list of these; there is none where nothing was used.
    struct Used: Sendable {
        let services: [Card], empty: AccountTreeSection.Ending

        init?(_ services: [Service], _ language: Language) {
            guard !services.isEmpty else { return nil }
            self.services = services.map { Card($0, language) }
            empty = .init(
                language.branches.told.used.empty, of: nil, action: "/account/used/empty", field: "list", value: "all")
        }
    }

    struct Card: Sendable {
        let title: String, host: String?, facts: [AccountTreeSection.Fact]

        init(_ service: Service, _ language: Language) {
            title = ShownText.tidy(service.name, limit: 80) ?? "?"
            host = service.host.flatMap { ShownText.tidy($0, limit: 253) }
            facts = AccountTreeSection.Fact.times(since: nil, lastUsed: service.last, language)
        }

        init(_ reader: Reader, _ language: Language) {
            let words = language.branches.told
            (title, host) = (reader.title, reader.host)
            let claims = reader.claims.isEmpty ? [words.nothing] : reader.claims.map { words.claim($0) }
            var login = [reader.loginAt.map { TimeShown.text($0, language) }].compactMap(\.self)
            if let methods = reader.methods { login.append(words.method(methods)) }
            facts =
                [
                    AccountTreeSection.Fact(label: words.claims, values: claims.compactMap { ShownText.tidy($0) }),
                    AccountTreeSection.Fact(label: words.through, values: [reader.through].compactMap(\.self)),
                    AccountTreeSection.Fact(label: words.login, values: login),
                ].filter { !$0.values.isEmpty }
                + AccountTreeSection.Fact.times(since: reader.first, lastUsed: reader.last, language)
        }
    }

    let language: Language, words: AccountTreeStrings.Told, back: String, formToken: String
    let cards: [Card], isEmpty: Bool
    let empty: AccountTreeSection.Ending
    let used: Used?

    init(_ language: Language, _ readers: [Reader], used: [Service] = [], formToken: String) {
        (self.language, words, self.formToken) = (language, language.branches.told, formToken)
        (cards, isEmpty) = (readers.map { Card($0, language) }, readers.isEmpty)
        back = language.branches.activity.back
        empty = .init(words.empty, of: nil, action: "/account/told/empty", field: "list", value: "all")
        self.used = Used(used, language)
    }

    var html: String { Layout.identityProvider.render("told", title: words.title, language: language, self) }

    static let template = """
        <h1>{{words.title}}</h1>
        {{#isEmpty}}<p class="empty">{{words.none}}</p>{{/isEmpty}}{{^isEmpty}}<p class="lead">{{words.lead}}</p>
        <ul class="cards">
        {{#cards}}<li><div><h2><bdi>{{title}}</bdi></h2>
        {{> host}}
        {{> facts}}</div></li>
        {{/cards}}</ul>
        {{#empty}}<div class="others">{{> ending}}</div>{{/empty}}{{/isEmpty}}
        {{#used}}<section aria-labelledby="used">
        <h2 id="used">{{words.used.title}}</h2>
        <p class="quiet">{{words.used.lead}}</p>
        <ul class="cards">
        {{#services}}<li><div><h3><bdi>{{title}}</bdi></h3>
        {{> host}}
        {{> facts}}</div></li>
        {{/services}}</ul>
        {{#empty}}<div class="others">{{> ending}}</div>{{/empty}}
        </section>{{/used}}
        <ul class="buttons"><li><a class="button second" href="/account">{{back}}</a></li></ul>
        """
}
