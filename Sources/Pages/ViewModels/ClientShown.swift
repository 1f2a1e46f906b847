/// How a client is shown to people. `host` is the host of its redirect URI or client_uri, shown so that a name cannot
/// pretend.
public struct ClientShown: Sendable {
    public let name: String, host: String?
    let homePage: String?, policy: String?, terms: String?
    let hasLinks: Bool

    /// Names are made fit to be shown; a link that is not http(s) is left out.
    public init(name: String, host: String?, homePage: String? = nil, policy: String? = nil, terms: String? = nil) {
        self.host = host.flatMap { ShownText.tidy($0, limit: 253) }
        self.name = ShownText.tidy(name, limit: 80) ?? self.host ?? "?"
        (self.homePage, self.policy, self.terms) = (
            ShownText.webLink(homePage), ShownText.webLink(policy), ShownText.webLink(terms)
        )
        hasLinks = self.homePage != nil || self.policy != nil || self.terms != nil
    }

    /// Where the client is.
    static let hostTemplate = """
        {{#.host}}<p class="host"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\
        <path d="M3 12h18M12 3c5 6 5 12 0 18M12 3c-5 6-5 12 0 18M12 3a9 9 0 0 1 0 18a9 9 0 0 1 \
        0-18"/></svg><bdi>{{.}}</bdi></p>{{/.host}}
        """

    static let linksTemplate = """
        {{#hasLinks}}<ul class="links">
        {{#.homePage}}<li><a href="{{.}}" rel="noreferrer">{{strings.frame.website}}</a></li>{{/.homePage}}
        {{#.policy}}<li><a href="{{.}}" rel="noreferrer">{{strings.frame.policy}}</a></li>{{/.policy}}
        {{#.terms}}<li><a href="{{.}}" rel="noreferrer">{{strings.frame.terms}}</a></li>{{/.terms}}
        </ul>{{/hasLinks}}
        """
}
