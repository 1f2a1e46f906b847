import Pages

/// Whoever came back from an institution is not known here yet.
struct UnknownPage: Sendable {
    let language: Language, own: SharedStrings<UpstreamStrings>
    let institution: String, person: String, onward: PageLink?, back: PageLink?

    /// `onward` leads to where they log in with their password, once.
    init(_ language: Language, institution: String, person: String, onward: String, back: String) {
        let own = language.upstream
        (self.language, self.own) = (language, own)
        (self.institution, self.person) = (ShownText.tidy(institution) ?? "–", ShownText.tidy(person) ?? "–")
        self.onward = PageLink(label: own.unknown.submit, href: onward)
        self.back = PageLink(label: own.back, href: back)
    }

    var html: String {
        Layout.upstream.render("unknown", title: own.unknown.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.unknown.title}}</h1>
        <p class="lead"><bdi class="strong">{{person}}</bdi> · <bdi>{{institution}}</bdi></p>
        <p>{{own.unknown.lead}}</p>
        <ul class="buttons">
        {{#onward}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/onward}}
        {{#back}}<li><a class="button second" href="{{href}}">{{label}}</a></li>{{/back}}
        </ul>
        """
}

/// `/account/institutions/link`: is the one there the one here?
struct LinkPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<UpstreamStrings>
    let institution: String, there: String, here: String, attempt: String, formToken: String, onward: PageLink?

    /// Posts to /account/institutions/link: attempt. `onward` goes on without a link.
    init(
        _ language: Language, institution: String, there: String, here: String, attempt: String, formToken: String,
        onward: String
    ) {
        (self.language, strings, own) = (language, language.strings, language.upstream)
        (self.institution, self.there) = (ShownText.tidy(institution) ?? "–", ShownText.tidy(there) ?? "–")
        (self.here, self.attempt, self.formToken) = (ShownText.tidy(here) ?? "–", attempt, formToken)
        self.onward = PageLink(label: language.upstream.without, href: onward)
    }

    var html: String {
        Layout.upstream.render("link", title: own.link.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.link.title}}</h1>
        <p class="lead">{{own.link.lead}}</p>
        <p>{{own.there}} <bdi class="strong">{{there}}</bdi> · <bdi>{{institution}}</bdi></p>
        <p>{{own.here}} <bdi class="strong">{{here}}</bdi></p>
        <form method="post" action="/account/institutions/link">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <div class="choice">
        <button class="button">{{own.link.submit}}</button>
        {{#onward}}<a class="button second" href="{{href}}">{{label}}</a>{{/onward}}
        </div>
        </form>
        """
}
