import Pages

/// `/account/data`: how one has what is held on them, and who deletes the account.
struct DataPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<DataStrings>
    let person: PersonShown, deletes: Bool, askOperator: String

    /// `host` is where this server is; `deletes`: the person may, by `/account/delete`.
    init(_ language: Language, person: PersonShown, host: String, deletes: Bool) {
        (self.language, strings, words) = (language, language.strings, language.data)
        (self.person, self.deletes) = (person, deletes)
        askOperator = words.operatorDeletes(ShownText.tidy(host) ?? "?")
    }

    var html: String { Layout.identityProvider.render("data", title: words.title, language: language, self) }

    static let template = """
        <h1>{{words.title}}</h1>
        {{#person}}{{> person}}{{/person}}
        <section aria-labelledby="export">
        <h2 id="export">{{words.exportTitle}}</h2>
        <p>{{words.exportText}} {{words.left}}</p>
        <ul class="buttons">
        <li><a class="button" href="/account/export?format=html">{{words.read}}</a></li>
        <li><a class="button second" href="/account/export?format=json">{{words.download}}</a></li>
        </ul>
        </section>
        <section aria-labelledby="delete">
        <h2 id="delete">{{words.deleteTitle}}</h2>
        {{#deletes}}<p>{{words.deleteText}}</p>
        <ul class="buttons"><li><a class="button second" href="/account/delete">{{words.deleteTitle}}</a></li></ul>
        {{/deletes}}{{^deletes}}<p>{{askOperator}}</p>
        {{/deletes}}</section>
        <ul class="buttons"><li><a class="button second" href="/account">{{strings.frame.yourAccount}}</a></li></ul>
        """
}
