/// What `/logout` ends with; `returnTo` is the post_logout_redirect_uri, which the person follows by hand.
public struct LoggedOutPage: Sendable {
    let language: Language, strings: Strings
    let client: ClientShown?, returnTo: String?

    public init(_ language: Language, client: ClientShown?, returnTo: String?) {
        (self.language, strings, self.client, self.returnTo) = (
            language, language.strings, client, ShownText.returnLink(returnTo)
        )
    }

    public var html: String {
        Layout.pages.render("loggedOut", title: strings.logout.done, language: language, door: true, self)
    }

    static let template = """
        <h1>{{strings.logout.done}}</h1>
        <p class="lead">{{strings.logout.shared}}</p>
        <ul class="buttons">
        {{#returnTo}}<li><a class="button" href="{{.}}"><span>\
        {{#client}}{{strings.logout.back.before}}<bdi>{{name}}</bdi>{{strings.logout.back.after}}{{/client}}{{^clien\
        t}}{{strings.logout.goOn}}{{/client}}</span></a></li>
        {{/returnTo}}<li><a class="button second" href="/account">{{strings.logout.again}}</a></li>
        </ul>
        """
}
