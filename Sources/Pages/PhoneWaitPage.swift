/// `/login/tiqr/wait`, `/login/approval/wait`, `/account/phones/wait` and `/account/approvals/wait` while a phone is to scan a code. On a phone the button that
/// opens the app there comes first.
public struct PhoneWaitPage: Sendable {
    /// The first three are tiqr's.
    public enum Purpose: Sendable { case login, firstLogin, setup, approval, approvalSetup }

    let language: Language, strings: Strings
    let title: String, lead: String, isLogin: Bool, client: ClientShown?, isPushed: Bool
    let events: String?, here: String?, isElsewhereOnly: Bool, scan: CodeShown?, typed: String?
    let asked: String?, others: OtherPhones?, offline: String?, doors: OtherDoors?

    /// `link` has the app's own scheme; `opensHere` is false where a browser would break it (Android and enrollment links: protocols/tiqr.md, 1.4). `code` is what
    /// is scanned where that is no link, `typed` what can be typed in its place. `events`, `offline` and `password` are paths of this server. `asked` is told where
    /// the person has other phones too; `alternatives` are other methods.
    public init(
        _ language: Language, _ purpose: Purpose, link: String? = nil, opensHere: Bool = true, code: String? = nil, typed: String? = nil, events: String,
        client: ClientShown? = nil, pushed: Bool = false, asked: LoginPhone? = nil, others: [(phone: LoginPhone, href: String)] = [], offline: String? = nil,
        password: String? = nil, alternatives: [LoginPage.Alternative] = []
    ) {
        let strings = language.strings
        (self.language, self.strings, self.client, isPushed, isLogin) = (language, strings, client, pushed, purpose == .login || purpose == .approval)
        switch purpose {
        case .login: (title, lead) = (strings.phoneLogin.title, strings.phoneLogin.lead)
        case .firstLogin: (title, lead) = (strings.phoneLogin.first.title, strings.phoneLogin.first.lead)
        case .setup: (title, lead) = (strings.phoneLogin.setup.scanTitle, strings.phoneLogin.setup.scanLead)
        case .approval: (title, lead) = (strings.approval.title, strings.approval.lead)
        case .approvalSetup: (title, lead) = (strings.approval.setup.scanTitle, strings.approval.setup.scanLead)
        }
        let link = link.flatMap(ShownText.appLink)
        (here, isElsewhereOnly, scan) = (opensHere ? link : nil, !opensHere, (code ?? link).flatMap { CodeShown($0) })
        self.typed = typed.flatMap { ShownText.tidy($0) }
        self.events = ShownText.ownLink(events)
        self.asked = others.isEmpty ? nil : asked?.label(language)
        self.others = OtherPhones(others, language)
        self.offline = offline.flatMap(ShownText.ownLink)
        doors = OtherDoors(password: password, alternatives)
    }

    public var html: String {
        let shown = isLogin ? [title, client?.name].compactMap(\.self).joined(separator: " · ") : title
        return Layout.render("phoneWait", title: shown, language: language, door: true, watches: true, self)
    }

    static let template = """
        <h1>{{title}}</h1>
        {{#isLogin}}{{#client}}<p class="lead">{{strings.login.to.before}}<bdi class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}{{/isLogin}}
        {{#isPushed}}<p class="note">{{strings.phoneLogin.pushed}}</p>{{/isPushed}}
        {{#asked}}<p class="quiet">{{strings.phoneLogin.asked}} <bdi>{{.}}</bdi></p>{{/asked}}
        {{#here}}<div class="here"><a class="button" href="{{.}}">{{strings.landing.open}}</a>
        <p class="or"><span>{{strings.login.or}}</span></p></div>{{/here}}
        <div class="scan"{{#events}} data-events="{{.}}"{{/events}}>
        <p>{{lead}}</p>
        {{#isElsewhereOnly}}<p class="hint">{{strings.landing.scan}}</p>{{/isElsewhereOnly}}
        {{#scan}}{{> code}}{{/scan}}{{#typed}}
        <p class="quiet">{{strings.approval.typed}}</p>
        <p class="code shown">{{.}}</p>{{/typed}}
        <p class="quiet" role="status">{{strings.phoneLogin.waiting}}</p>
        </div>
        {{#offline}}<ul class="plain"><li><a href="{{.}}">{{strings.phoneLogin.offlineLink}}</a></li></ul>{{/offline}}
        {{#others}}{{> phones}}{{/others}}
        {{#doors}}<p class="or"><span>{{strings.login.or}}</span></p>
        <ul class="buttons">{{> doors}}</ul>{{/doors}}
        """
}
