import Pages

/// Nobody was logged in by what came back from an institution, and where to go on.
struct RefusedPage: Sendable {
    let language: Language, own: SharedStrings<UpstreamStrings>, text: String
    let again: PageLink?, password: PageLink?

    init(_ language: Language, _ kind: UpstreamRefusal.Kind, again: String, password: String) {
        let own = language.upstream
        (self.language, self.own) = (language, own)
        text =
            switch kind {
            case .declined: own.problems.declined
            case .invalid: own.problems.invalid
            case .unreachable: own.problems.unreachable
            case .stale: own.problems.stale
            case .taken: own.problems.taken
            case .foreign: own.problems.foreign
            case .suspended: own.problems.suspended
            }
        self.again = PageLink(label: own.again, href: again)
        self.password = PageLink(label: own.back, href: password)
    }

    var html: String {
        Layout.upstream.render(
            "refused", title: own.problems.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.problems.title}}</h1>
        <p class="note bad" role="alert">{{text}}</p>
        <ul class="buttons">
        {{#again}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/again}}
        {{#password}}<li><a class="button second" href="{{href}}">{{label}}</a></li>{{/password}}
        </ul>
        """
}
