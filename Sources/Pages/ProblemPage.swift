/// When something cannot be done and nobody can be sent back: what to do next, and below it what helps whoever is asked for help.
public struct ProblemPage: Sendable {
    public enum Kind: Sendable { case badRequest, expired, forbidden, tooMany(seconds: Int), unavailable, notFound, failed }

    let language: Language, words: Words
    let message: Words.Problem.Message, code: String, detail: String?

    /// `code` and `detail` are the protocol's, in English, for developers.
    public init(_ language: Language, _ kind: Kind, code: String, detail: String) {
        let words = language.words
        (self.language, self.words) = (language, words)
        message = switch kind {
        case .badRequest: words.problem.badRequest
        case .expired: words.problem.expired
        case .forbidden: words.problem.forbidden
        case .tooMany(let seconds): .init(title: words.problem.tooMany, text: words.problem.tooManyText(words.wait.text(seconds: seconds)))
        case .unavailable: words.problem.unavailable
        case .notFound: words.problem.notFound
        case .failed: words.problem.failed
        }
        self.code = ShownText.tidy(code) ?? "?"
        self.detail = ShownText.tidy(detail, limit: 400)
    }

    public var html: String { Layout.render("problem", title: message.title, language: language, door: true, self) }

    static let template = """
        <h1>{{message.title}}</h1>
        <p class="lead">{{message.text}}</p>
        <ul class="buttons"><li><a class="button second" href="/">{{words.frame.startPage}}</a></li></ul>
        <div class="small"><h2>{{words.problem.forSupport}}</h2>
        <p><code>{{code}}</code>{{#detail}}<br><bdi lang="en">{{.}}</bdi>{{/detail}}</p></div>
        """
}
