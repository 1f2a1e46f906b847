import Pages

/// What `/account/delete` ends with: what happened, and what stays.
struct DeletedPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<DataStrings>
    let told: String, removed: String?

    /// `services`: how many were told; `things`: phones and passkeys that went.
    init(_ language: Language, services: Int, things: Int) {
        (self.language, strings, words) = (language, language.strings, language.data)
        told = services == 0 ? words.noneTold : words.told(services)
        removed = things == 0 ? nil : words.removed(things)
    }

    var html: String {
        Layout.identityProvider.render("deleted", title: words.deleted, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.deleted}}</h1>
        <p class="lead">{{words.deletedText}}</p>
        <ul>
        <li>{{told}}</li>
        {{#removed}}<li>{{.}}</li>{{/removed}}
        </ul>
        <p>{{words.deleteStays}}</p>
        <ul class="buttons"><li><a class="button second" href="/">{{strings.frame.startPage}}</a></li></ul>
        """
}
