import Pages

/// `/login/institution`: which one is it?
struct FindingPage: Sendable {
    struct Choice: Sendable {
        let name: String, href: String

        init(name: String, href: String) {
            (self.name, self.href) = (ShownText.tidy(name) ?? "?", href)
        }
    }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<UpstreamStrings>
    let words: String, reference: String?, returnTo: String?, isAgain: Bool, action: String
    let last: Choice?, choices: [Choice], hasChoices: Bool, isNone: Bool, isMore: Bool, back: PageLink?

    /// Asks `action` by GET: q. `last` is the one that was chosen last in this browser.
    init(
        _ language: Language, words: String, reference: String? = nil, returnTo: String? = nil, isAgain: Bool = false,
        action: String, last: Choice?, choices: [Choice], isMore: Bool, back: String
    ) {
        (self.language, strings, own) = (language, language.strings, language.upstream)
        (self.words, self.reference, self.returnTo, self.isAgain) = (words, reference, returnTo, isAgain)
        (self.action, self.last, self.choices, self.isMore) = (action, last, choices, isMore)
        (hasChoices, isNone) = (!choices.isEmpty, choices.isEmpty && last == nil)
        self.back = PageLink(label: language.upstream.back, href: back)
    }

    var html: String {
        Layout.upstream.render("finding", title: own.find.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.find.title}}</h1>
        <p class="lead">{{own.find.lead}}</p>
        {{#last}}<ul class="buttons"><li><a class="button" href="{{href}}"><bdi>{{name}}</bdi></a></li></ul>
        <p class="or"><span>{{own.other}}</span></p>{{/last}}
        <form method="get" action="{{action}}">
        {{#reference}}<input type="hidden" name="request" value="{{.}}">{{/reference}}
        {{#returnTo}}<input type="hidden" name="return_to" value="{{.}}">{{/returnTo}}
        {{#isAgain}}<input type="hidden" name="again" value="1">{{/isAgain}}
        <label for="q">{{own.label}}</label>
        <p class="hint" id="hint">{{own.hint}}</p>
        <input id="q" name="q" value="{{words}}" maxlength="100" autocomplete="organization" spellcheck="false" \
        aria-describedby="hint">
        <button class="button second">{{own.find.submit}}</button>
        </form>
        {{#hasChoices}}<h2>{{own.choices}}</h2>
        <ul class="buttons">
        {{#choices}}<li><a class="button second" href="{{href}}"><bdi>{{name}}</bdi></a></li>
        {{/choices}}</ul>{{/hasChoices}}
        {{#isNone}}<p class="note">{{own.none}}</p>{{/isNone}}
        {{#isMore}}<p class="quiet">{{own.more}}</p>{{/isMore}}
        {{#back}}<p class="links"><a href="{{href}}">{{label}}</a></p>{{/back}}
        """
}

extension Layout {
    static let upstream = Layout([
        "finding": FindingPage.template, "refused": RefusedPage.template, "unknown": UnknownPage.template,
        "link": LinkPage.template,
    ])
}
