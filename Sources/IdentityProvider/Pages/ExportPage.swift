import Base
import OAuth
import Pages

/// `/account/export` for people: the rows as cards, under the names that the file for programs has.
struct ExportPage: Sendable {
    struct Fact: Sendable { let label: String, value: String }
    struct Card: Sendable { let facts: [Fact] }
    struct Section: Sendable { let id: String, title: String, cards: [Card], isEmpty: Bool, more: String? }

    /// Cards of a section; more rows are in the file for programs.
    private static let most = 200

    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<DataStrings>
    let at: String, sections: [Section]

    /// `title` gives the heading of a member.
    init(_ language: Language, _ export: OwnData.Export, title: (_ member: String) -> String) {
        (self.language, strings, words) = (language, language.strings, language.data)
        let words = words
        at = export.at.rfc3339
        sections = export.parts.map { part in
            let rows = part.rows.prefix(ExportPage.most).compactMap(\.object)
            let cards = rows.map { row in Card(facts: row.compactMap { ExportPage.fact($0.name, $0.value) }) }
            let left = part.rows.count - cards.count
            return Section(
                id: part.member, title: title(part.member), cards: cards, isEmpty: cards.isEmpty,
                more: left > 0 ? words.more(left) : nil)
        }
    }

    /// `nil` for what is not set.
    private static func fact(_ name: String, _ value: JSONValue) -> Fact? {
        let text: String
        switch value {
        case .null: return nil
        case .string(let string): text = string
        default: text = String(decoding: value.bytes, as: UTF8.self)
        }
        return Fact(label: name, value: ShownText.tidy(text, limit: 400) ?? "–")
    }

    var html: String { Layout.identityProvider.render("export", title: words.exportTitle, language: language, self) }

    static let template = """
        <h1>{{words.exportTitle}}</h1>
        <p class="lead">{{words.exportedAt}} {{at}}</p>
        <p>{{words.fields}} {{words.left}}</p>
        {{#sections}}<section aria-labelledby="{{id}}">
        <h2 id="{{id}}">{{title}}</h2>
        {{#isEmpty}}<p class="empty">{{words.nothing}}</p>{{/isEmpty}}{{^isEmpty}}<ul class="cards">
        {{#cards}}<li><div><dl>{{#facts}}<div><dt>{{label}}</dt><dd><bdi>{{value}}</bdi></dd></div>{{/facts}}</dl>\
        </div></li>
        {{/cards}}</ul>{{/isEmpty}}
        {{#more}}<p class="quiet">{{.}}</p>{{/more}}
        </section>
        {{/sections}}<ul class="buttons"><li><a class="button second" \
        href="/account/data">{{words.title}}</a></li></ul>
        """
}
