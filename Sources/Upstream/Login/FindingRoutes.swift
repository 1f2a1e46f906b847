import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Finding one's institution: by its name or its domain, without script. Whoever says which it is, by the request's
/// `institution` or the domain of its `login_hint`, goes straight on.
enum FindingRoutes {
    static let most = 20
    private static let path = "/login/institution"

    static func endpoints(_ context: UpstreamRequestContext) -> [Endpoint] {
        [
            BrowserRequest.get(path, "Finds the institution to log in at", context.web) { browser in
                let place = try LoginPlace(browser.parameters), request = try await place.checked(browser)
                let asked = try browser.parameters["institution"] ?? request?.institution
                let isSearch = try browser.parameters["q"] != nil
                if !isSearch, let only = try await named(asked, hint: request?.loginHint, context) {
                    return browser.redirect(context.web.issuer + address(only, place))
                }
                return try await page(browser, context, place) { address($0, place) }
            }.asking(LoginPlace.members + ["institution", "q"])
        ]
    }

    static func address(_ provider: UpstreamProvider, _ place: LoginPlace) -> String {
        "\(path)/\(provider.id)?\(place.query)" + (place.isAgain ? "&again=1" : "")
    }

    /// The one provider that is meant; `nil` where several could be, or none.
    static func named(
        _ institution: String?, hint: String?, _ context: UpstreamRequestContext
    ) async throws -> UpstreamProvider? {
        let domain = hint.flatMap { hint -> String? in
            let parts = hint.split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 ? String(parts[1]) : nil
        }
        let service = context.service
        guard institution != nil || domain != nil else {
            let all = try await service.providers.search("", limit: 2, in: service.database)
            return all.count == 1 ? all.first : nil
        }
        let found = try await service.providers.ofInstitution(
            institution, domain: institution == nil ? domain : nil, in: service.database)
        return found.count == 1 ? found.first : nil
    }

    /// `href` is where a choice leads.
    static func page(
        _ browser: BrowserRequest, _ context: UpstreamRequestContext, _ place: LoginPlace? = nil,
        href: (UpstreamProvider) -> String
    ) async throws -> Response {
        let service = context.service
        let words = try browser.parameters["q"].map { String($0.prefix(100)) } ?? ""
        let found = try await service.providers.search(words, limit: most + 1, in: service.database)
        var last: UpstreamProvider?
        if words.isEmpty, let remembered = browser.institution { last = try await service.open(remembered) }
        let shown = found.prefix(most).filter { $0.id != last?.id }
        let page = FindingPage(
            browser.language, words: words, reference: place?.reference, returnTo: place?.returnTo,
            isAgain: place?.isAgain ?? false, action: place == nil ? "/account/institutions/add" : path,
            last: last.map { FindingPage.Choice(name: $0.name, href: href($0)) },
            choices: shown.map { FindingPage.Choice(name: $0.name, href: href($0)) }, isMore: found.count > most,
            back: place.map { "/login?\($0.query)&here=1" } ?? "/account")
        return browser.html(page.html)
    }
}
