import Pages

/// `/account/delete`: says what ends and what stays, and asks for the password.
struct DeletionPage: Sendable {
    enum Problem: Sendable {
        case wrong
        case tooMany(seconds: Int)
    }

    let language: Language, strings: SharedStrings<Strings>, words: SharedStrings<DataStrings>
    let own: SharedStrings<IdentityProviderStrings>
    let person: PersonShown, username: String, formToken: String, problem: String?, isBad: Bool

    /// Posts to /account/delete: password.
    init(_ language: Language, person: PersonShown, username: String, formToken: String, problem: Problem? = nil) {
        (self.language, strings, words, own) = (language, language.strings, language.data, language.own)
        (self.person, self.username, self.formToken) = (person, username, formToken)
        (self.problem, isBad) =
            switch problem {
            case nil: (nil, false)
            case .wrong: (own.password.wrong, true)
            case .tooMany(let seconds): (own.login.tooMany(strings.wait.text(seconds: seconds)), false)
            }
    }

    var html: String {
        let title = problem == nil ? words.deleteTitle : strings.frame.problem + " " + words.deleteTitle
        return Layout.identityProvider.render("deletion", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.deleteTitle}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#person}}{{> person}}{{/person}}
        <p>{{words.deleteEnds}}</p>
        <p>{{words.deleteStays}} {{words.deleteForGood}}</p>
        <p><a href="/account/data">{{words.exportFirst}}</a></p>
        <form method="post" action="/account/delete">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <label for="password">{{own.password.current}}</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required\
        {{#isBad}} aria-invalid="true" aria-describedby="problem"{{/isBad}}>
        <div class="choice">
        <button class="button">{{words.deleteSubmit}}</button>
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>
        """
}
