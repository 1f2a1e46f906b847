import Federation
import Foundation
import OAuth
import Pages

/// `/account/told`: who was told something about the person, what, when, through what, by which login. Its list can be
/// emptied.
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

    struct Card: Sendable {
        let title: String, host: String?, facts: [AccountTreeSection.Fact]

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

    init(_ language: Language, _ readers: [Reader], formToken: String) {
        (self.language, words, self.formToken) = (language, language.branches.told, formToken)
        (cards, isEmpty) = (readers.map { Card($0, language) }, readers.isEmpty)
        back = language.branches.activity.back
        empty = .init(words.empty, of: nil, action: "/account/told/empty", field: "list", value: "all")
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
        <ul class="buttons"><li><a class="button second" href="/account">{{back}}</a></li></ul>
        """
}
