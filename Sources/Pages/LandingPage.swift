/// `/tiqrenroll/` and `/tiqrauth/`: where a universal link leads when no app has caught it (protocols/tiqr.md, 1.4). It only shows; opening it uses nothing up.
public struct LandingPage: Sendable {
    public enum Purpose: Sendable { case enrollment, authentication }

    let language: Language, words: Words
    let purpose: Words.Landing.Purpose, warning: String?, link: String?, scan: CodeShown?

    /// `link` has the app's own scheme. Browsers on Android break an enrollment link of that kind, so the code is there to be scanned from another screen.
    public init(_ language: Language, _ purpose: Purpose, link: String) {
        let words = language.words
        (self.language, self.words) = (language, words)
        let shown = switch purpose {
        case .enrollment: words.landing.enrollment
        case .authentication: words.landing.authentication
        }
        (self.purpose, warning) = (shown, shown.warning)
        let link = ShownText.appLink(link)
        self.link = link
        scan = link.flatMap { CodeShown($0) }
    }

    public var html: String { Layout.render("landing", title: purpose.title, language: language, door: true, self) }

    static let template = """
        <h1>{{purpose.title}}</h1>
        <p class="lead">{{purpose.lead}}</p>
        {{#warning}}<p class="note warn">{{.}}</p>{{/warning}}
        {{#link}}<ul class="buttons"><li><a class="button" href="{{.}}">{{words.landing.open}}</a></li></ul>{{/link}}
        {{#scan}}<h2>{{words.landing.otherwise}}</h2>
        <p>{{words.landing.scan}}</p>
        {{> code}}{{/scan}}
        """
}
