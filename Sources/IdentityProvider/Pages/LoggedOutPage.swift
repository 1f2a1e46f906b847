import Pages

/// What `/logout` ends with; `returnTo` is the post_logout_redirect_uri, which the person follows by hand.
struct LoggedOutPage: Sendable {
    let language: Language, own: SharedStrings<IdentityProviderStrings>
    let client: ClientShown?, returnTo: String?, farewell: PageLink?

    /// `farewell` leads to where one logs out elsewhere too.
    init(_ language: Language, client: ClientShown?, returnTo: String?, farewell: PageLink? = nil) {
        self.farewell = farewell
        (self.language, own, self.client, self.returnTo) = (
            language, language.own, client, ShownText.returnLink(returnTo)
        )
    }

    var html: String {
        Layout.identityProvider.render("loggedOut", title: own.logout.done, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.logout.done}}</h1>
        <p class="lead">{{own.logout.shared}}</p>
        <ul class="buttons">
        {{#returnTo}}<li><a class="button" href="{{.}}"><span>\
        {{#client}}{{own.logout.back.before}}<bdi>{{name}}</bdi>{{own.logout.back.after}}{{/client}}{{^clien\
        t}}{{own.logout.goOn}}{{/client}}</span></a></li>
        {{/returnTo}}{{#farewell}}<li><a class="button second" href="{{href}}">{{label}}</a></li>
        {{/farewell}}<li><a class="button second" href="/account">{{own.logout.again}}</a></li>
        </ul>
        """
}
