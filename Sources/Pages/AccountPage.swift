import Base
import Foundation

/// `/account`: the person's passkeys, what their wallets opened, phones, applications and browsers, and how to be rid of each.
public struct AccountPage: Sendable {
    public enum Notice: Sendable, CaseIterable {
        case disconnected, withdrawn, ended, passwordChanged, phoneAdded, phoneRemoved, phoneKept
        /// `passkeyAddedByName`: it is not found by a device, only by whoever has been named.
        case passkeyAdded, passkeyAddedByName, passkeyLinked, passkeyRenamed, passkeyRemoved, passkeyUnlinked, passkeyKept
    }

    /// An app on a phone. Posts `instance` to /account/disconnect.
    public struct Instance: Sendable {
        let id: String, name: String?, deviceType: String?, osVersion: String?, app: String, version: String, lastSeen: Date

        public init(id: String, name: String?, deviceType: String?, osVersion: String?, app: String, version: String, lastSeen: Date) {
            (self.id, self.name, self.deviceType) = (id, name.flatMap { ShownText.tidy($0) }, deviceType.flatMap { ShownText.tidy($0) })
            self.osVersion = osVersion.flatMap { ShownText.tidy($0) }
            (self.app, self.version, self.lastSeen) = (ShownText.tidy(app) ?? "?", ShownText.tidy(version) ?? "", lastSeen)
        }
    }

    /// An application that was allowed something. Posts `client` to /account/withdraw.
    public struct Application: Sendable {
        let client: ClientShown, id: String, scopes: [String], since: Date

        public init(client: ClientShown, id: String, scopes: [String], since: Date) {
            (self.client, self.id, self.scopes, self.since) = (client, id, scopes.compactMap { ShownText.tidy($0) }, since)
        }
    }

    /// A browser that is logged in; `device` is its User-Agent. Posts `session` to /account/end.
    public struct Session: Sendable {
        let id: String, device: String?, since: Date, lastSeen: Date, isCurrent: Bool, clients: [String]

        public init(id: String, device: String?, since: Date, lastSeen: Date, isCurrent: Bool, clients: [String]) {
            (self.id, self.device, self.since, self.lastSeen, self.isCurrent) = (id, device, since, lastSeen, isCurrent)
            self.clients = clients.compactMap { ShownText.tidy($0, limit: 80) }
        }
    }

    let language: Language, words: Words
    let person: PersonShown, formToken: String, notice: String?, isProblem: Bool
    let sections: [AccountSection]

    /// `passkeys` and `phones` are those for logging in, `approvals` phones that approve; `nil` where nobody logs in so.
    /// `opened`: `nil` for who has linked no wallet.
    public init(
        _ language: Language, person: PersonShown, passkeys: [OwnPasskey]? = nil, opened: [OpenedPage]? = nil, phones: [LoginPhone]? = nil,
        approvals: [ApprovingPhone]? = nil, instances: [Instance], applications: [Application], sessions: [Session], formToken: String, notice: Notice? = nil
    ) {
        let words = language.words.account, own = language.words.phoneLogin.account
        (self.language, self.words, self.person, self.formToken) = (language, language.words, person, formToken)
        self.notice = notice.map { notice in
            switch notice {
            case .disconnected: words.disconnected
            case .withdrawn: words.withdrawn
            case .ended: words.ended
            case .passwordChanged: words.passwordChanged
            case .phoneAdded: own.added
            case .phoneRemoved: own.removed
            case .phoneKept: own.kept
            case .passkeyAdded: language.words.passkey.added
            case .passkeyAddedByName: language.words.passkey.addedByName
            case .passkeyLinked: language.words.passkey.linked
            case .passkeyRenamed: language.words.passkey.renamed
            case .passkeyRemoved: language.words.passkey.removed
            case .passkeyUnlinked: language.words.passkey.unlinked
            case .passkeyKept: language.words.passkey.last
            }
        }
        isProblem = notice == .phoneKept || notice == .passkeyKept
        let keys = passkeys.map { passkeys in
            AccountSection("passkeys", language.words.passkey.section, passkeys.map { $0.card(language) }, action: "/account/passkeys/remove", field: "passkey",
                           more: .init(href: "/account/passkeys/add", label: language.words.passkey.setUp))
        }
        let pages = opened.map { opened in
            AccountSection("wallets", language.words.passkey.opened, opened.map { $0.card(language) }, action: "/account/wallets/end", field: "session")
        }
        let logins = phones.map { phones in
            AccountSection("logins", own.section, phones.map { $0.card(language) }, action: "/account/phones/remove", field: "phone",
                           more: .init(href: "/account/phones/add", label: own.setUp))
        }
        let approving = approvals.map { phones in
            AccountSection("approvals", language.words.approval.section, phones.map { $0.card(language) }, action: "/account/approvals/remove", field: "phone",
                           more: .init(href: "/account/approvals/add", label: own.setUp))
        }
        sections = [keys, pages, logins, approving].compactMap(\.self) + [
            AccountSection("phones", words.phones, instances.map { $0.card(language) }, action: "/account/disconnect", field: "instance"),
            AccountSection("applications", words.applications, applications.map { $0.card(language) }, action: "/account/withdraw", field: "client"),
            AccountSection("sessions", words.sessions, sessions.map { $0.card(language) }, action: "/account/end", field: "session"),
        ]
    }

    public var html: String { Layout.render("account", title: words.account.title, language: language, self) }

    static let template = """
        <h1>{{words.account.title}}</h1>
        {{#notice}}<p class="note {{#isProblem}}bad" role="alert"{{/isProblem}}{{^isProblem}}good" role="status"{{/isProblem}}>{{.}}</p>{{/notice}}
        <div class="self">{{#person}}{{> person}}{{/person}}
        <ul class="buttons">
        <li><a class="button second" href="/account/password">{{words.password.title}}</a></li>
        <li><a class="button second" href="/logout">{{words.logout.submit}}</a></li>
        </ul></div>
        {{#sections}}<section aria-labelledby="{{id}}">
        <h2 id="{{id}}">{{title}}</h2>
        {{#isEmpty}}<p class="empty">{{none}}</p>{{/isEmpty}}{{^isEmpty}}<p class="quiet">{{lead}} {{effect}}</p>
        <ul class="cards">
        {{#cards}}<li><div><h3><bdi>{{name}}</bdi>{{#.badge}} <span class="badge">{{.}}</span>{{/.badge}}</h3>
        {{> host}}
        <dl>{{#facts}}<div><dt>{{label}}</dt><dd>{{#values}}<bdi>{{.}}</bdi>{{/values}}</dd></div>{{/facts}}</dl>{{#.link}}
        <p class="links"><a href="{{href}}">{{label}}<span class="unseen"> <bdi>{{name}}</bdi></span></a></p>{{/.link}}</div>
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="{{field}}" value="{{id}}">
        <button class="button second">{{verb}}<span class="unseen"> <bdi>{{name}}</bdi></span></button>
        </form></li>
        {{/cards}}</ul>{{/isEmpty}}
        {{#more}}<ul class="buttons"><li><a class="button second" href="{{href}}">{{label}}</a></li></ul>{{/more}}
        </section>
        {{/sections}}
        """
}
