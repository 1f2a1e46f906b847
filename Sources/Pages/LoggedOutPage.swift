/// What `/logout` ends with; `returnTo` is the post_logout_redirect_uri, which the person follows by hand.
public struct LoggedOutPage: Sendable {
    let language: Language, words: Words
    let client: ClientShown?, returnTo: String?

    public init(_ language: Language, client: ClientShown?, returnTo: String?) {
        (self.language, words, self.client, self.returnTo) = (language, language.words, client, ShownText.returnLink(returnTo))
    }

    public var html: String { Layout.render("loggedOut", title: words.logout.done, language: language, door: true, self) }

    static let template = """
        <h1>{{words.logout.done}}</h1>
        <p class="lead">{{words.logout.shared}}</p>
        <ul class="buttons">
        {{#returnTo}}<li><a class="button" href="{{.}}"><span>\
        {{#client}}{{words.logout.back.before}}<bdi>{{name}}</bdi>{{words.logout.back.after}}{{/client}}{{^client}}{{words.logout.goOn}}{{/client}}</span></a></li>
        {{/returnTo}}<li><a class="button second" href="/account">{{words.logout.again}}</a></li>
        </ul>
        """
}
