import Accounts
import Base
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A request by a browser: who sits there, in which language, and how it is answered. Errors become pages, or the
/// redirect that the protocol wants.
public struct BrowserRequest: Sendable {
    public let context: BrowserSessionContext
    public let language: Language
    public let parameters: Vocabulary.OAuthParameters
    public let web: WebSide
    /// Of an event stream that begins again: the last event that the browser has seen (WHATWG HTML, 9.2.4).
    let lastEvent: String?
    /// On a page here, by the person: that counts more than what an application asks for.
    private let chosen: Language?
    /// The institution that somebody chose last in this browser.
    public let institution: String?
    /// How somebody logged in last in this browser: a factor, `LoginElsewhere.way` or the password; if that is kept.
    public let way: String?
    private let path: Parameters
    private let isNewBrowser: Bool
    private let cookies: BrowserCookies

    public typealias Body = @Sendable (BrowserRequest) async throws -> Response

    /// An endpoint that reads its query. With a `pace` strangers begin so much from an address.
    public static func get(
        _ path: String, _ summary: String, _ web: WebSide, pace: AnonymousRateLimit.Kind? = nil, _ body: @escaping Body
    ) -> Endpoint {
        Endpoint(.get, path, summary) { request, context in
            try await answer(request, context, web, pace, read: { try query(request) }, body: body)
        }.telling(.page)
    }

    /// An endpoint that takes a form of one of our own pages, and no other's: same origin, and the form's token for
    /// `purpose` (see `BrowserSessionContext.formToken`).
    public static func post(
        _ path: String, _ summary: String, _ web: WebSide, pace: AnonymousRateLimit.Kind? = nil,
        purpose: @escaping @Sendable (Vocabulary.OAuthParameters) throws -> String, _ body: @escaping Body
    ) -> Endpoint {
        Endpoint(.post, path, summary) { request, context in
            try await answer(request, context, web, pace) {
                try sameOrigin(request, web.issuer)
                return try await form(request)
            } body: { browser in
                guard let token = try browser.parameters["form_token"],
                    ConstantTime.equal(token, browser.context.formToken(try purpose(browser.parameters)))
                else {
                    throw OAuthError(
                        .forbidden,
                        """
                        this form was not made for this browser, or somebody else logged in meanwhile; load the page \
                        again
                        """
                    )
                }
                return try await body(browser)
            }
        }.telling(.form)
    }

    private static func answer(
        _ request: Request, _ context: RoutedContext, _ web: WebSide, _ pace: AnonymousRateLimit.Kind?,
        read: () async throws -> Vocabulary.OAuthParameters, body: Body
    ) async throws -> Response {
        do {
            let parameters = try await read()
            let cookies = BrowserCookies(issuer: web.issuer), known = cookies.browser(request)
            let session = known == nil ? nil : try await web.login.session(cookie: cookies.session(request))
            if let pace, session == nil { try web.pace.take(pace, from: context.peer) }
            let locales = (try? parameters["ui_locales"]) ?? nil
            let language = Language(of: request, uiLocales: locales)
            let own = BrowserSessionContext(
                browser: known ?? web.login.cookie(), session: session, device: request.headers[.userAgent],
                origin: context.peer, language: language.rawValue)
            let browser = BrowserRequest(
                context: own, language: language, parameters: parameters, web: web,
                lastEvent: request.headers[.lastEventID], chosen: Language.chosen(request),
                institution: cookies.institution(request),
                way: web.lifetimes.rememberedWay > 0 ? cookies.way(request) : nil, path: context.parameters,
                isNewBrowser: known == nil,
                cookies: cookies)
            var response = try await body(browser)
            if known == nil {
                response.headers.append(HTTPField(name: .setCookie, value: cookies.setBrowser(own.browser)))
            }
            return response
        } catch let refusal as AuthorizationRefusal {
            ErrorRendering.log(refusal.error, context, client: ErrorRendering.named(request))
            if let url = refusal.url { return PageAnswer.redirect(url) }
            return try page(refusal.error, request)
        } catch {
            return try page(ErrorRendering.refusal(for: error), request, context)
        }
    }

    /// A page for people; the protocol's JSON for programs.
    public static func page(
        _ error: OAuthError, _ request: Request, _ context: RoutedContext? = nil
    ) throws -> Response {
        if let context { ErrorRendering.log(error, context, client: ErrorRendering.named(request)) }
        guard PageAnswer.isWanted(request) else { return Answer.error(error) }
        let kind: ProblemPage.Kind =
            switch error.status {
            case 403: .forbidden
            case 404: .notFound
            case 429: .tooMany(seconds: error.retryAfter ?? 60)
            case 503: .unavailable
            case 500...: .failed
            default: .badRequest
            }
        // What a refused request had in its address is a stranger's, and is not shown again.
        let page = PagePlace.$current.withValue(PagePlace(PagePlace.current.brand, address: nil)) {
            ProblemPage(
                Language(of: request), kind, code: error.code.rawValue, detail: error.description
            ).html
        }
        var headers = HTTPFields()
        if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
        if let limit = error.limit { RateLimitFields.add(limit, to: &headers) }
        return PageAnswer.html(page, status: .init(code: error.status), headers: headers)
    }

    /// Of a page for an application that asks for `uiLocales`.
    public func language(for uiLocales: String?) -> Language {
        guard chosen == nil, let uiLocales else { return language }
        return Language(accepting: language.rawValue, uiLocales: uiLocales)
    }

    /// A page in answer. `leadsTo` are addresses outside to which its form may in the end lead.
    public func html(
        _ text: String, status: HTTPResponse.Status = .ok, leadsTo: [String] = [], watches: Bool = false,
        asksPasskey: Bool = false,
        hasForm: Bool = true
    ) -> Response {
        PageAnswer.html(text, status: status, leadsTo: leadsTo, hasScript: watches || asksPasskey, hasForm: hasForm)
    }

    /// With the cookie of a session that just began or was renewed, `by` a way that the browser remembers.
    public func redirect(
        _ url: String, session: String? = nil, by way: String? = nil, endsSession: Bool = false
    ) -> Response {
        var response = PageAnswer.redirect(url)
        if let session { response.headers.append(HTTPField(name: .setCookie, value: cookies.setSession(session))) }
        if session != nil, let way, web.lifetimes.rememberedWay > 0 {
            let line = cookies.setWay(way, seconds: Int(web.lifetimes.rememberedWay))
            response.headers.append(HTTPField(name: .setCookie, value: line))
        }
        if endsSession { response.headers.append(HTTPField(name: .setCookie, value: cookies.clearSession)) }
        return response
    }

    /// A segment of the path, by its name in the endpoint's.
    public func segment(_ name: String) -> String { path.get(name) ?? "" }

    /// With the cookie of the institution that was chosen.
    public func remembering(institution: String, _ response: Response) -> Response {
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: cookies.setInstitution(institution)))
        return response
    }

    /// The same, on a page.
    public func endingSession(_ response: Response) -> Response {
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: cookies.clearSession))
        return response
    }

    // MARK: Reading

    static func query(_ request: Request) throws -> Vocabulary.OAuthParameters {
        do {
            return try Vocabulary.OAuthParameters(form: (request.uri.query ?? "").utf8)
        } catch .duplicate(let name) {
            throw OAuthError(.invalidRequest, "parameter \(name.prefix(80)) comes twice")
        } catch {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8")
        }
    }

    /// Parameters stand in the body alone: the same name in query and body would be two answers to one question.
    public static func form(_ request: Request) async throws -> Vocabulary.OAuthParameters {
        guard request.uri.query?.isEmpty ?? true else {
            throw OAuthError(.invalidRequest, "send parameters in the body alone")
        }
        guard BodyReading.mediaType(request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.unsupportedMediaType, "send application/x-www-form-urlencoded")
        }
        return try await BodyReading.parameters(request)
    }

    /// Fetch metadata and Origin, where the browser tells them, say where a form came from.
    public static func sameOrigin(_ request: Request, _ issuer: String) throws {
        let origin = request.headers[.origin], site = request.headers[.fetchSite]
        guard origin == nil || origin == WebAddress(issuer)?.origin,
            site == nil || site == "same-origin" || site == "none"
        else {
            throw OAuthError(.forbidden, "this form was sent from another site")
        }
    }
}

extension HTTPField.Name {
    public static let fetchSite = named("Sec-Fetch-Site")
    static let lastEventID = named("Last-Event-ID")
}
