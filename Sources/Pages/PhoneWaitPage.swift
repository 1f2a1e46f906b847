/// While a phone is to scan a code: `/login/…/wait` and `/account/…/wait` of the methods that log in with one. On a
/// phone the button that opens the app there comes first.
public struct PhoneWaitPage: Sendable {
    /// What can be typed in the app in place of the code.
    public struct Typed: Sendable {
        let label: String, text: String

        public init?(label: String, text: String) {
            guard let text = ShownText.tidy(text) else { return nil }
            (self.label, self.text) = (label, text)
        }
    }

    let language: Language, strings: SharedStrings<Strings>
    let title: String, lead: String, isLogin: Bool, client: ClientShown?, isPushed: Bool
    let events: String?, here: String?, isElsewhereOnly: Bool, scan: CodeShown?, typed: Typed?
    let asked: String?, others: OtherPhones?, offline: PageLink?, doors: OtherDoors?

    /// `isLogin`: `client`, or else the account, is where it leads. `link` has the app's own scheme; `opensHere` is
    /// false where a browser would break it. `code` is what is scanned where that is no link. `events` and `password`
    /// are paths of this server, `offline` leads to where a phone without connection answers. `asked` is the phone that
    /// is asked, told where the person has `others` too; `alternatives` are other methods.
    public init(
        _ language: Language, title: String, lead: String, isLogin: Bool = false, link: String? = nil,
        opensHere: Bool = true, code: String? = nil, typed: Typed? = nil, events: String, client: ClientShown? = nil,
        pushed: Bool = false, asked: String? = nil, others: [PageLink] = [], offline: PageLink? = nil,
        password: String? = nil, alternatives: [LoginAlternative] = []
    ) {
        (self.language, strings, self.title, self.lead) = (language, language.strings, title, lead)
        (self.isLogin, self.client, isPushed) = (isLogin, client, pushed)
        let link = link.flatMap(ShownText.appLink)
        (here, isElsewhereOnly, scan) = (opensHere ? link : nil, !opensHere, (code ?? link).flatMap { CodeShown($0) })
        (self.typed, self.events) = (typed, ShownText.ownLink(events))
        (self.asked, self.others) = (others.isEmpty ? nil : asked, OtherPhones(others))
        self.offline = offline
        doors = OtherDoors(password: password, alternatives)
    }

    public var html: String {
        let shown = isLogin ? [title, client?.name].compactMap(\.self).joined(separator: " · ") : title
        return Layout.pages.render("phoneWait", title: shown, language: language, door: true, watches: true, self)
    }

    static let template = """
        <h1>{{title}}</h1>
        {{#isLogin}}{{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}{{/isLogin}}
        {{#isPushed}}<p class="note">{{strings.phone.pushed}}</p>{{/isPushed}}
        {{#asked}}<p class="quiet">{{strings.phone.asked}} <bdi>{{.}}</bdi></p>{{/asked}}
        {{#here}}<div class="here"><a class="button" href="{{.}}">{{strings.phone.open}}</a>
        <p class="or"><span>{{strings.login.or}}</span></p></div>{{/here}}
        <div class="scan"{{#events}} data-events="{{.}}"{{/events}}>
        <p>{{lead}}</p>
        {{#isElsewhereOnly}}<p class="hint">{{strings.phone.elsewhere}}</p>{{/isElsewhereOnly}}
        {{#scan}}{{> code}}{{/scan}}{{#typed}}
        <p class="quiet">{{label}}</p>
        <p class="code shown">{{text}}</p>{{/typed}}
        <p class="quiet" role="status">{{strings.phone.waiting}}</p>
        </div>
        {{#offline}}<ul class="plain"><li><a href="{{href}}">{{label}}</a></li></ul>{{/offline}}
        {{#others}}{{> phones}}{{/others}}
        {{#doors}}<p class="or"><span>{{strings.login.or}}</span></p>
        <ul class="buttons">{{> doors}}</ul>{{/doors}}
        """
}
