import Accounts
import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Registration
import Vocabulary

/// `/authorize` and the pages that it sends people to: login and consent.
enum AuthorizeRoutes {
    /// One of `logins` may ask for what it takes on the page with the password.
    static func endpoints(_ idp: AuthorizationServer, _ logins: [LoginMethod]) -> [Endpoint] {
        let web = idp.web
        let part = LoginPageParts(
            form: logins.lazy.compactMap(\.onPasswordPage).first, elsewhere: logins.compactMap(\.elsewhere))
        return [
            BrowserRequest.get("/authorize", "Authorization endpoint (RFC 6749, 3.1)", web, pace: .request) { browser in
                if let reference = try browser.parameters["continue"] {
                    return try await step(browser) { try await web.authorize.resume(reference, browser.context) }
                }
                return try await step(browser) { try await web.authorize.begin(browser.parameters, browser.context) }
            }.asking(["continue"] + EndpointShape.authorizationQuery, about: about).named("authorize"),
            // OpenID Connect Core, 3.1.2.1 wants POST too. A form of another site brings no cookies, so it becomes a
            // GET, which does.
            Endpoint(.post, "/authorize", "The same, by a form") { request, _ in
                let parameters = try await BrowserRequest.form(request)
                let query = FormCodec.write(parameters.pairs)
                // The listener would not read a longer one.
                guard query.utf8.count <= 15 * 1_024 else {
                    throw OAuthError(.tooLarge, "the request is too long for an address; push it (RFC 9126)")
                }
                return PageAnswer.redirect("\(web.issuer)/authorize?\(query)")
            }.telling(.foreignForm).asking(EndpointShape.authorizationQuery + ["ui_locales"]),
            BrowserRequest.get("/login", "Login page", web) { browser in
                let place = try LoginPlace(browser.parameters)
                if place.reference == nil, !place.isAgain, browser.context.session != nil {
                    return browser.redirect(web.issuer + place.then)
                }
                let request = try await place.checked(browser)
                if browser.context.session == nil, try browser.parameters["here"] == nil,
                    let institution = request?.institution, let path = try await part.shortcut(place, institution)
                {
                    return browser.redirect(web.issuer + path)
                }
                return try await page(browser, part, place, request, username: request?.loginHint ?? "")
            }.asking(LoginPlace.members + ["here"]),
            BrowserRequest.post(
                "/login", "Username and password", web, pace: .request, purpose: { try LoginPlace($0).purpose }
            ) { browser in
                try await logIn(browser, part)
            }.asking(LoginPlace.members + ["username", "password"]),
            BrowserRequest.get(LoginPlace.withoutLevel, "Asks whether to go on without a level that is wished for", web)
            {
                browser in
                let reference = try browser.parameters.required("request")
                let (_, request) = try await web.authorize.pending(reference, browser.context)
                guard web.authorize.isVoluntary(request, browser.context) else {
                    return browser.redirect("\(web.issuer)/authorize?continue=\(reference)")
                }
                let language = browser.language(for: request.uiLocales)
                let page = WithoutLevelPage(
                    language, client: ClientShown(request.client, in: language), reference: reference,
                    formToken: browser.context.formToken("without \(reference)"))
                return browser.html(page.html, leadsTo: [request.target.redirectURI])
            }.asking("request!"),
            BrowserRequest.post(
                LoginPlace.withoutLevel, "Goes on without the level that is wished for (OpenID Connect Core, 5.5.1.1)",
                web, purpose: { "without \(try $0.required("request"))" }
            ) { browser in
                let reference = try browser.parameters.required("request")
                try await web.authorize.goOnWithoutLevel(reference, browser.context)
                return browser.redirect("\(web.issuer)/authorize?continue=\(reference)")
            }.asking("request!"),
            BrowserRequest.get("/consent", "Consent page", web) { browser in try await consent(browser) }
                .asking("request!"),
            BrowserRequest.post(
                "/consent", "The person's decision", web, purpose: { "consent \(try $0.required("request"))" }
            ) { browser in
                let allowed = try browser.parameters.required("decision") == "allow"
                return browser.redirect(
                    try await web.authorize.consented(
                        try browser.parameters.required("request"), allowed: allowed, browser.context))
            }.asking("request!", "decision!:=allow|deny"),
            Endpoint(.post, "/par", "Pushed authorization request (RFC 9126)") { request, context in
                let parameters = try await BodyReading.parameters(request)
                return Answer.json(
                    try await web.pushed.push(request.presented(web.issuer, context), parameters), status: .created)
            }.forOrigins(.registered(idp.origins)).telling(.pushedRequest).named("pushAuthorizationRequest"),
        ]
    }

    private static let about = """
        `client_id` and the rest as the client registered it, or `request_uri` of a pushed request (RFC 9126). Once \
        the client is known, and where it is to be led, errors go there (RFC 6749, 4.1.2.1), with `iss` (RFC 9207).
        """

    private static func step(
        _ browser: BrowserRequest, _ ask: () async throws -> AuthorizeEndpoint.Step
    ) async throws -> Response {
        switch try await ask() {
        case .login(let reference, _): browser.redirect("\(browser.web.issuer)/login?request=\(reference)")
        case .factor(let reference, let page): browser.redirect("\(browser.web.issuer)\(page)?request=\(reference)")
        case .consent(let reference): browser.redirect("\(browser.web.issuer)/consent?request=\(reference)")
        case .answer(let url): browser.redirect(url)
        }
    }

    // MARK: Login

    private static func page(
        _ browser: BrowserRequest, _ part: LoginPageParts, _ place: LoginPlace,
        _ request: AuthorizationParameters?, username: String, problem: LoginPage.Problem? = nil
    ) async throws -> Response {
        let language = browser.language(for: request?.uiLocales)
        let again = browser.context.session != nil
        let others = browser.web.factors.filter { !$0.isOnPasswordPage }
        let token = browser.context.formToken(place.purpose)
        let credentials = part.form?(place, token, language)
        let doors = try await part.doors(place, language) + place.doorOn(request, in: language, browser)
        let known = username.isEmpty ? browser.context.session?.account.username ?? "" : username
        let ways = LoginWays(
            browser.way, doors: doors, factors: others, onPage: browser.web.factors.filter(\.isOnPasswordPage),
            place, language)
        let html = LoginPage(
            language, client: request.map { ClientShown($0.client, in: language) }, reference: place.reference,
            formToken: token, username: known, reason: again ? .again : .first, problem: problem,
            favourite: ways.favourite, alternatives: ways.others, credentials: credentials,
            startsWithCredentials: ways.isOnPage,
            returnTo: place.returnTo,
            forgotten: browser.web.recovery.queue.isOn
                ? PageLink(label: language.recovery.forgotten, href: "/recover") : nil
        ).html
        return browser.html(
            html, status: problem == nil ? .ok : status(of: problem),
            leadsTo: request.map { [$0.target.redirectURI] } ?? [],
            asksPasskey: credentials != nil)
    }

    private static func status(of problem: LoginPage.Problem?) -> HTTPResponse.Status {
        switch problem {
        case .tooMany: .tooManyRequests
        case .busy: .serviceUnavailable
        case .wrong, .expired, nil: .ok
        }
    }

    private static func logIn(
        _ browser: BrowserRequest, _ part: LoginPageParts
    ) async throws -> Response {
        let place = try LoginPlace(browser.parameters), username = try browser.parameters["username"] ?? ""
        let request = try await place.checked(browser)
        do {
            let session = try await browser.web.login.logIn(
                username: username, password: try browser.parameters["password"] ?? "", browser.context)
            return browser.redirect(browser.web.issuer + place.then, session: session, by: "password")
        } catch BrowserLogin.Refused.wrong {
            return try await page(browser, part, place, request, username: username, problem: .wrong)
        } catch BrowserLogin.Refused.tooMany(let seconds) {
            let problem = LoginPage.Problem.tooMany(seconds: seconds)
            return try await page(browser, part, place, request, username: username, problem: problem)
        } catch BrowserLogin.Refused.busy {
            return try await page(browser, part, place, request, username: username, problem: .busy)
        }
    }

    // MARK: Consent

    private static func consent(_ browser: BrowserRequest) async throws -> Response {
        let reference = try browser.parameters.required("request")
        let (_, request) = try await browser.web.authorize.pending(reference, browser.context)
        guard let session = browser.context.session else {
            return browser.redirect("\(browser.web.issuer)/authorize?continue=\(reference)")
        }
        let language = browser.language(for: request.uiLocales)
        let lines = browser.web.lines(
            request.scope, single: request.singleClaims, client: request.client, person: session.account
        ).map { ConsentPage.Line($0, in: language) }
        let services = try await browser.web.authorize.resources(request).services.map {
            ServicesShown.Row(name: $0.name, base: $0.base)
        }
        let page = ConsentPage(
            language, client: ClientShown(request.client, in: language), person: PersonShown(session.account),
            lines: lines, services: services, reference: reference,
            formToken: browser.context.formToken("consent \(reference)"))
        return browser.html(page.html, leadsTo: [request.target.redirectURI])
    }
}
