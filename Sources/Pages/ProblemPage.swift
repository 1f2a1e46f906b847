/// When something cannot be done and nobody can be sent back: what to do next, and below it what helps whoever is asked
/// for help.
public struct ProblemPage: Sendable {
    public enum Kind: Sendable {
        case badRequest, expired, forbidden, tooMany(seconds: Int), unavailable, notFound, failed
    }

    let language: Language, strings: SharedStrings<Strings>
    let message: Strings.Message, code: String, detail: String?

    /// `code` and `detail` are the protocol's, in English, for developers.
    public init(_ language: Language, _ kind: Kind, code: String, detail: String) {
        let strings = language.strings
        (self.language, self.strings) = (language, strings)
        message =
            switch kind {
            case .badRequest: strings.problem.badRequest
            case .expired: strings.problem.expired
            case .forbidden: strings.problem.forbidden
            case .tooMany(let seconds):
                .init(
                    title: strings.problem.tooMany,
                    text: strings.problem.tooManyText(strings.wait.text(seconds: seconds)))
            case .unavailable: strings.problem.unavailable
            case .notFound: strings.problem.notFound
            case .failed: strings.problem.failed
            }
        self.code = ShownText.tidy(code) ?? "?"
        self.detail = ShownText.tidy(detail, limit: 400)
    }

    public var html: String {
        Layout.pages.render("problem", title: message.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{message.title}}</h1>
        <p class="lead">{{message.text}}</p>
        <ul class="buttons"><li><a class="button second" href="/">{{strings.frame.startPage}}</a></li></ul>
        <div class="small"><h2>{{strings.problem.forSupport}}</h2>
        <p><code>{{code}}</code>{{#detail}}<br><bdi lang="en">{{.}}</bdi>{{/detail}}</p></div>
        """
}
