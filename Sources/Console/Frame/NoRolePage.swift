import Pages

/// For who is logged in and has no role here.
struct NoRolePage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<ConsoleStrings>, person: PersonShown
    /// What is for anybody: a service of theirs.
    let proposals: String

    init(_ language: Language, _ person: PersonShown) {
        (self.language, strings, words, self.person) = (language, language.strings, language.console, person)
        proposals = language.console.noun("services proposals")
    }

    var html: String {
        Layout.console.render("noRole", title: words.noRole, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.noRole}}</h1>
        {{#person}}{{> person}}{{/person}}
        <p>{{words.noRoleText}}</p>
        <ul class="buttons"><li><a class="button second" href="/admin/services/proposals">{{proposals}}</a></li>
        <li><a class="button second" href="/account">{{words.yourAccount}}</a></li></ul>
        """
}
