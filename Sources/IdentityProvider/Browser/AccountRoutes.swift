import Accounts
import Administration
import HTTP
import Hummingbird
import OAuth
import Pages
import Registration
import Vocabulary

/// A person's own pages: what phones, applications and browsers may do, the password, logout.
enum AccountRoutes {
    /// `logins` list what one logs in with; their own pages change it. `houses`: see `AccountTreeRoutes`.
    static func endpoints(
        _ idp: AuthorizationServer, _ logins: [LoginMethod], _ houses: Set<String>
    ) -> [Endpoint] {
        let web = idp.web, parts = LoginPageParts(form: nil, elsewhere: logins.compactMap(\.elsewhere))
        return [
            BrowserRequest.get("/account", "Account page", web) { browser in
                guard let session = browser.context.session else {
                    return browser.redirect("\(web.issuer)/login?return_to=/account")
                }
                if let detour = try await web.detour(session, to: "/account") { return browser.redirect(detour) }
                return try await page(browser, session, logins, houses)
            }.asking("done").named("account"),
            BrowserRequest.revoke("/account/disconnect", "Ends an app instance", web, .disconnected) {
                browser, session in
                try await idp.instances.disconnect(
                    try browser.parameters.required("instance"), by: Owner(session, browser.context))
            }.asking("instance!"),
            BrowserRequest.revoke("/account/withdraw", "Ends what an application may do", web, .withdrawn) {
                browser, session in
                try await web.account.withdraw(try browser.parameters.required("client"), session, browser.context)
            }.asking("client!"),
            BrowserRequest.revoke("/account/end", "Ends a browser session", web, .ended) { browser, session in
                try await web.account.end(try browser.parameters.required("session"), session, browser.context)
            }.asking("session!"),
            AccountOfferRoutes.endpoint(web),
            BrowserRequest.get("/account/password", "Change the password", web) { browser in
                guard let session = browser.context.session else {
                    return browser.redirect("\(web.issuer)/login?return_to=/account/password")
                }
                if let detour = try await web.detour(session, to: "/account/password") {
                    return browser.redirect(detour)
                }
                return password(browser, session, problem: nil)
            },
            BrowserRequest.post(
                "/account/password", "Changes the password, ends other browser sessions", web,
                purpose: { _ in "account" }
            ) { browser in
                guard let session = browser.context.session else {
                    return browser.redirect("\(web.issuer)/login?return_to=/account/password")
                }
                if let detour = try await web.detour(session, to: "/account/password") {
                    return browser.redirect(detour)
                }
                return try await change(browser, session)
            }.asking(["current", "new", "again"], example: EndpointShape.newPassword),
            BrowserRequest.get("/logout", "Logout (OpenID Connect RP-Initiated Logout)", web) { browser in
                try await logout(browser, parts)
            }.asking("id_token_hint", "client_id", "post_logout_redirect_uri", "state").named("logout"),
            // An application's form; it brings no cookies, so it becomes a GET, which does. Our own form has a token.
            Endpoint(.post, "/logout", "The person's word; or the same request by an application's form") {
                request, context in
                try await logoutForm(request, context, web, parts)
            }.telling(.foreignForm).asking(
                "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"),
        ]
    }

    private static func page(
        _ browser: BrowserRequest, _ session: BrowserSession, _ logins: [LoginMethod], _ houses: Set<String>
    ) async throws -> Response {
        let own = try await browser.web.account.overview(session), language = browser.language
        let nodes = try await browser.web.tree.nodes(Owner(session, browser.context), houses: houses)
        let known = Dictionary(nodes.map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
        var sections: [AccountSection] = []
        for login in logins { sections += try await login.sections(session.account, language) }
        let notices = AccountNotice.ofAccount + logins.flatMap(\.notices), done = try browser.parameters["done"]
        let html = AccountPage(
            language, person: PersonShown(session.account), logins: sections,
            instances: own.instances.map {
                .init(
                    id: $0.id, name: $0.name, deviceType: $0.deviceType, osVersion: $0.osVersion,
                    app: known[$0.id]?.app ?? $0.app, version: $0.version, since: $0.createdAt,
                    lastSeen: $0.lastSeen, services: known[$0.id]?.children ?? [])
            },
            applications: own.applications.map {
                .init(
                    client: ClientShown($0.client, in: language), id: $0.client.id, scopes: $0.scopes,
                    actsAt: $0.services,
                    since: $0.since, lastUsed: known[$0.client.id]?.lastUsed,
                    services: known[$0.client.id]?.children ?? [])
            },
            sessions: own.sessions.map {
                .init(
                    id: $0.session.id, device: $0.session.device, since: $0.session.createdAt,
                    lastSeen: $0.session.lastSeen,
                    isCurrent: $0.session.id == session.id, clients: $0.clients)
            },
            formToken: browser.context.formToken("account"), notice: notices.first { $0.word == done },
            offer: try await AccountOfferRoutes.offer(session.account, logins, language, browser.web)
        ).html
        return browser.html(html)
    }

    private static func password(
        _ browser: BrowserRequest, _ session: BrowserSession, problem: PasswordPage.Problem?
    ) -> Response {
        browser.html(
            PasswordPage(
                browser.language, username: session.account.username, formToken: browser.context.formToken("account"),
                problem: problem
            ).html)
    }

    private static func change(_ browser: BrowserRequest, _ session: BrowserSession) async throws -> Response {
        let (current, new, again) = (
            try browser.parameters["current"] ?? "", try browser.parameters["new"] ?? "",
            try browser.parameters["again"] ?? ""
        )
        guard new == again else { return password(browser, session, problem: .different) }
        do {
            try await browser.web.account.changePassword(current: current, to: new, session, browser.context)
            return browser.redirect("\(browser.web.issuer)/account?done=\(AccountNotice.passwordChanged.word)")
        } catch OwnAccount.PasswordRefused.wrong {
            return password(browser, session, problem: .wrong)
        } catch OwnAccount.PasswordRefused.unacceptable(let refusal) {
            return password(browser, session, problem: .init(refusal))
        } catch OwnAccount.PasswordRefused.tooMany(let seconds) {
            return password(browser, session, problem: .tooMany(seconds: seconds))
        } catch OwnAccount.PasswordRefused.busy {
            throw OAuthError(
                .temporarilyUnavailable, "many people are logging in; try again in a moment", retryAfter: 2)
        }
    }

    // MARK: Logout

    private static func logout(_ browser: BrowserRequest, _ parts: LoginPageParts) async throws -> Response {
        let question = try await browser.web.logout.question(browser.parameters, browser.context)
        guard let session = browser.context.session else { return ended(browser, question, nil) }
        if question.isProven {
            try await browser.web.logout.end(browser.context)
            return ended(browser, question, try await parts.farewell(session.id, browser.language))
        }
        let page = LogoutPage(
            browser.language, client: question.client.map { ClientShown($0, in: browser.language) },
            person: PersonShown(session.account),
            formToken: browser.context.formToken("logout"), hidden: question.parameters)
        return browser.html(page.html, leadsTo: question.returnTo.map { [$0] } ?? [])
    }

    private static func logoutForm(
        _ request: Request, _ context: RoutedContext, _ web: WebSide, _ parts: LoginPageParts
    ) async throws -> Response {
        // The body can be read once: kept for the handler of our own form.
        let body = try await BodyReading.bytes(request)
        var copy = request
        copy.body = .init(buffer: .init(bytes: body))
        let form = try await BrowserRequest.form(copy)
        copy.body = .init(buffer: .init(bytes: body))
        guard try form["form_token"] != nil else {
            return PageAnswer.redirect("\(web.issuer)/logout?\(try EndSession.query(form))")
        }
        return try await own.handler(web, parts)(copy, context)
    }

    /// The confirmation page's form.
    private enum own {
        static func handler(_ web: WebSide, _ parts: LoginPageParts) -> Endpoint.Handler {
            BrowserRequest.post("/logout", "", web, purpose: { _ in "logout" }) { browser in
                let question = try await web.logout.question(browser.parameters, browser.context)
                try await web.logout.end(browser.context)
                var farewell: PageLink?
                if let session = browser.context.session {
                    farewell = try await parts.farewell(session.id, browser.language)
                }
                return ended(browser, question, farewell)
            }.handler
        }
    }

    private static func ended(
        _ browser: BrowserRequest, _ question: EndSession.Question, _ farewell: PageLink?
    ) -> Response {
        if let url = question.returnTo { return browser.redirect(url, endsSession: true) }
        return browser.endingSession(
            browser.html(
                LoggedOutPage(
                    browser.language, client: question.client.map { ClientShown($0, in: browser.language) },
                    returnTo: nil, farewell: farewell
                ).html))
    }
}

extension PasswordPage.Problem {
    /// The page's words are the command line's too.
    public init(_ refusal: PasswordRule.Refusal) {
        self =
            switch refusal {
            case .short(let minimum): .short(minimum: minimum)
            case .long: .long
            case .common: .common
            case .ofName: .ofName
            }
    }
}

extension PasswordRule.Refusal: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.invalid, PasswordPage.Problem(self).text(.en)) }
}
