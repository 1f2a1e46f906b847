import OAuth
import Pages

/// `/account/activity`: what happened at the account of late; each line leads to what to do if it was somebody else.
struct ActivityPage: Sendable {
    struct Line: Sendable {
        let id: String, title: String, facts: [AccountTreeSection.Fact]

        init(_ entry: AccountActivity.Entry, _ language: Language) {
            let words = language.branches.activity
            id = entry.id
            title = words.kind(entry.kind) + (entry.count > 1 ? " (\(words.times(entry.count)))" : "")
            let names = entry.names.compactMap { (name: AccountActivity.Name) -> String? in
                switch name {
                case .text(let text): ShownText.tidy(text)
                case .browser(let device): language.browser(device)
                }
            }
            facts = [
                AccountTreeSection.Fact(label: words.about, values: names),
                AccountTreeSection.Fact(label: words.when, values: [TimeShown.text(entry.at, language)]),
                AccountTreeSection.Fact(label: words.place, values: [entry.place].compactMap(\.self)),
            ].filter { !$0.values.isEmpty }
        }
    }

    let language: Language, words: AccountTreeStrings.Activity
    let lines: [Line], isEmpty: Bool

    init(_ language: Language, _ entries: [AccountActivity.Entry]) {
        (self.language, words) = (language, language.branches.activity)
        lines = entries.map { Line($0, language) }
        isEmpty = lines.isEmpty
    }

    var html: String { Layout.identityProvider.render("activity", title: words.title, language: language, self) }

    static let line = """
        <h2><bdi>{{title}}</bdi></h2>
        {{> facts}}
        """

    static let template = """
        <h1>{{words.title}}</h1>
        {{#isEmpty}}<p class="empty">{{words.none}}</p>{{/isEmpty}}{{^isEmpty}}<p class="lead">{{words.lead}}</p>
        <ul class="cards">
        {{#lines}}<li><div>{{> activityLine}}</div>
        <a href="/account/activity/not-me?event={{id}}">{{words.notMe}}<span class="unseen"> \
        <bdi>{{title}}</bdi></span></a></li>
        {{/lines}}</ul>{{/isEmpty}}
        <ul class="buttons"><li><a class="button second" href="/account">{{words.back}}</a></li></ul>
        """
}

/// `/account/activity/not-me`: a line that was somebody else's doing, and the cut that is right for it.
struct NotMePage: Sendable {
    let language: Language, words: AccountTreeStrings.NotMe, back: String
    let line: ActivityPage.Line, formToken: String
    /// What can be ended, or why nothing need be.
    let cut: AccountTreeSection.Ending?, hint: String?
    let warning: String?

    /// `isCurrent`: what can be ended is the browser that shows this page.
    init(
        _ language: Language, _ entry: AccountActivity.Entry, cut: AccountActivity.Cut?, isCurrent: Bool,
        formToken: String
    ) {
        let words = language.branches.notMe, own = language.own.account, tree = language.branches.tree
        (self.language, self.words, self.formToken) = (language, words, formToken)
        (back, line) = (language.branches.activity.back, ActivityPage.Line(entry, language))
        warning = isCurrent ? words.thisBrowser : nil
        switch cut {
        case .phone(let id, let name)?:
            self.cut = .init(
                .init(verb: words.phone, ends: own.phones.effect, stays: tree.phoneStays),
                of: name.flatMap { ShownText.tidy($0) }, action: "/account/disconnect", field: "instance", value: id)
        case .browser(let id, let device)?:
            self.cut = .init(
                .init(verb: words.browser, ends: own.sessions.effect, stays: tree.browserStays),
                of: language.browser(device), action: "/account/end", field: "session", value: id)
        case .application(let id, let name)?:
            self.cut = .init(
                .init(verb: words.application, ends: own.applications.effect, stays: tree.applicationStays),
                of: ShownText.tidy(name), action: "/account/withdraw", field: "client", value: id)
        case .browsers?:
            self.cut = .init(
                tree.otherBrowsers, of: nil, action: "/account/others/end", field: "kind",
                value: AccountNode.Kind.browser.rawValue)
        case nil: self.cut = nil
        }
        hint = cut == nil ? (entry.kind.isRefusal ? words.nobodyIn : words.over) : nil
    }

    var html: String { Layout.identityProvider.render("notMe", title: words.title, language: language, self) }

    static let template = """
        <h1>{{words.title}}</h1>
        <p class="lead">{{words.happened}}</p>
        {{#line}}<div class="facts">{{> activityLine}}</div>{{/line}}
        {{#.warning}}<p class="note warn">{{.}}</p>{{/.warning}}
        {{#.hint}}<p>{{.}}</p>{{/.hint}}
        {{#.cut}}<form method="post" action="{{action}}">
        <p>{{ends}}</p>
        <p class="quiet">{{stays}}</p>
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="{{field}}" value="{{value}}">
        <button class="button">{{verb}}{{#.of}} <bdi>{{.}}</bdi>{{/.of}}</button>
        </form>{{/.cut}}
        <p>{{words.passwordText}}</p>
        <ul class="buttons">
        <li><a class="button second" href="/account/password">{{words.password}}</a></li>
        <li><a class="button second" href="/account">{{back}}</a></li>
        </ul>
        """
}
