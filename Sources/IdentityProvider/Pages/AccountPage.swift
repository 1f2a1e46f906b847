import Base
import Foundation
import OAuth
import Pages

/// `/account`: what the person logs in with, their apps, applications and browsers, and how to be rid of each.
struct AccountPage: Sendable {
    /// An app on a phone. Posts `instance` to /account/disconnect.
    struct Instance: Sendable {
        let id: String, name: String?, deviceType: String?, osVersion: String?, app: String, version: String,
            since: Date?, lastSeen: Date, services: [AccountNode]

        /// `app` is the name of its app; `services` what it has opened.
        init(
            id: String, name: String?, deviceType: String?, osVersion: String?, app: String, version: String,
            since: Date? = nil, lastSeen: Date, services: [AccountNode] = []
        ) {
            (self.id, self.name, self.deviceType) = (
                id, name.flatMap { ShownText.tidy($0) }, deviceType.flatMap { ShownText.tidy($0) }
            )
            self.osVersion = osVersion.flatMap { ShownText.tidy($0) }
            (self.app, self.version) = (ShownText.tidy(app) ?? "?", ShownText.tidy(version) ?? "")
            (self.since, self.lastSeen, self.services) = (since, lastSeen, services)
        }
    }

    /// An application that was allowed something; `actsAt`, names of services. Posts `client` to /account/withdraw.
    struct Application: Sendable {
        let client: ClientShown, id: String, scopes: [String], actsAt: [String], since: Date, lastUsed: Date?,
            services: [AccountNode]

        init(
            client: ClientShown, id: String, scopes: [String], actsAt: [String] = [], since: Date,
            lastUsed: Date? = nil, services: [AccountNode] = []
        ) {
            (self.client, self.id, self.since) = (client, id, since)
            self.scopes = scopes.compactMap { ShownText.tidy($0) }
            self.actsAt = actsAt.compactMap { ShownText.tidy($0, limit: 80) }
            (self.lastUsed, self.services) = (lastUsed, services)
        }
    }

    /// A browser that is logged in; `device` is its User-Agent. Posts `session` to /account/end.
    struct Session: Sendable {
        let id: String, device: String?, since: Date, lastSeen: Date, isCurrent: Bool, clients: [String]

        init(id: String, device: String?, since: Date, lastSeen: Date, isCurrent: Bool, clients: [String]) {
            (self.id, self.device, self.since, self.lastSeen, self.isCurrent) = (id, device, since, lastSeen, isCurrent)
            self.clients = clients.compactMap { ShownText.tidy($0, limit: 80) }
        }
    }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let data: SharedStrings<DataStrings>
    let branchWords: AccountTreeStrings.Tree
    let person: PersonShown, formToken: String, notice: String?, isProblem: Bool
    /// What is empty stands last.
    let lists: [Listing]
    let offer: AccountOffer?
    let activity: String, told: String

    /// Of a way of logging in, or of what hangs from the account.
    struct Listing: Sendable {
        let plain: AccountSection?, tree: AccountTreeSection?

        var isEmpty: Bool { plain?.isEmpty ?? tree?.isEmpty ?? true }
    }

    /// `logins`: what one logs in with, as each way of logging in lists it. `offer` is declined at /account/decline.
    init(
        _ language: Language, person: PersonShown, logins: [AccountSection] = [], instances: [Instance],
        applications: [Application], sessions: [Session], formToken: String, notice: AccountNotice? = nil,
        offer: AccountOffer? = nil
    ) {
        self.offer = offer
        let own = language.own
        (self.language, strings, self.own, data) = (language, language.strings, own, language.data)
        (self.person, self.formToken) = (person, formToken)
        self.notice = notice?.text(language)
        isProblem = notice?.isProblem ?? false
        let words = language.branches
        (branchWords, activity, told) = (words.tree, words.activity.title, words.told.title)
        func others(_ cut: AccountTreeStrings.Cut, _ kind: AccountNode.Kind) -> AccountTreeSection.Ending {
            .init(cut, of: nil, action: "/account/others/end", field: "kind", value: kind.rawValue)
        }
        let shared = AccountPage.shared(instances, applications)
        let trees = [
            AccountTreeSection(
                "phones", own.account.phones, instances.map { $0.card(language, shared: shared) },
                others: others(words.tree.allPhones, .instance)),
            AccountTreeSection(
                "applications", own.account.applications, applications.map { $0.card(language, shared: shared) }),
            AccountTreeSection(
                "sessions", own.account.sessions, sessions.map { $0.card(language) },
                others: others(words.tree.otherBrowsers, .browser)),
        ]
        let all = logins.map { Listing(plain: $0, tree: nil) } + trees.map { Listing(plain: nil, tree: $0) }
        lists = all.filter { !$0.isEmpty } + all.filter(\.isEmpty)
    }

    /// Services that were opened in several places, or at which an application may act: what ends here is not all.
    private static func shared(_ instances: [Instance], _ applications: [Application]) -> Set<String> {
        let opened = instances.flatMap(\.services) + applications.flatMap(\.services)
        let acting = Set(applications.flatMap(\.actsAt))
        let shared = Dictionary(grouping: opened, by: \.subject).filter { _, places in
            places.count > 1
                || places.contains { acting.contains(ShownText.tidy($0.name ?? "", limit: 80) ?? "") }
        }
        return Set(shared.keys)
    }

    var html: String { Layout.identityProvider.render("account", title: own.account.title, language: language, self) }

    static let template = """
        <h1>{{own.account.title}}</h1>
        {{#notice}}<p class="note {{#isProblem}}bad" role="alert"{{/isProblem}}{{^isProblem}}good" \
        role="status"{{/isProblem}}>{{.}}</p>{{/notice}}
        <div class="self">{{#person}}{{> person}}{{/person}}
        <ul class="buttons">
        <li><a class="button second" href="/account/password">{{own.password.title}}</a></li>
        <li><a class="button second" href="/account/data">{{data.title}}</a></li>
        <li><a class="button second" href="/account/activity">{{activity}}</a></li>
        <li><a class="button second" href="/account/told">{{told}}</a></li>
        <li><a class="button second" href="/logout">{{own.logout.submit}}</a></li>
        </ul></div>
        {{#offer}}<section class="note" aria-labelledby="offer">
        <h2 id="offer">{{title}}</h2>
        <p>{{text}}</p>
        <form method="post" action="/account/decline">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="offer" value="{{word}}">
        <ul class="buttons">{{#link}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/link}}
        <li><button class="button second">{{own.account.notNow}}</button></li></ul>
        </form></section>{{/offer}}
        {{#lists}}{{#.tree}}{{> accountTree}}{{/.tree}}{{#.plain}}<section aria-labelledby="{{id}}">
        <h2 id="{{id}}">{{title}}</h2>
        {{#isEmpty}}<p class="empty">{{none}}</p>{{/isEmpty}}{{^isEmpty}}<p class="quiet">{{lead}}{{^asksFirst}} \
        {{effect}}{{/asksFirst}}</p>
        <ul class="cards">
        {{#cards}}<li><div><h3><bdi>{{name}}</bdi>{{#.badge}} <span class="badge">{{.}}</span>{{/.badge}}</h3>
        {{> host}}
        <dl>{{#facts}}<div><dt>{{label}}</dt><dd>{{#values}}<bdi>{{.}}</bdi>{{/values}}</dd></div>{{/facts}}</dl>{{#\
        .link}}
        <p class="links"><a href="{{href}}">{{label}}<span class="unseen"> \
        <bdi>{{name}}</bdi></span></a></p>{{/.link}}</div>
        {{#asksFirst}}<details><summary class="button second">{{verb}}<span class="unseen"> \
        <bdi>{{name}}</bdi></span></summary>{{/asksFirst}}
        <form method="post" action="{{action}}">
        {{#asksFirst}}<p>{{effect}}</p>
        <p class="quiet">{{strings.account.undone}}</p>{{/asksFirst}}
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="{{field}}" value="{{id}}">
        <button class="button{{^asksFirst}} second{{/asksFirst}}">{{verb}}<span class="unseen"> \
        <bdi>{{name}}</bdi></span></button>
        </form>{{#asksFirst}}</details>{{/asksFirst}}</li>
        {{/cards}}</ul>{{/isEmpty}}
        {{#more}}<ul class="buttons"><li><a class="button second" href="{{href}}">{{label}}</a></li></ul>{{/more}}
        </section>{{/.plain}}
        {{/lists}}
        """
}
