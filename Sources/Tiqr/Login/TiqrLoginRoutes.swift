import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Logging in, or once more, with a phone. The page that waits completes the login when it finds that the phone has
/// answered; nothing else does.
enum TiqrLoginRoutes {
    static func endpoints(_ context: PhoneRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get("/login/tiqr", "Begins a login with a phone", web, pace: .login) { browser in
                try await begin(browser, context)
            }.asking(LoginPlace.members + ["phone", "push"]),
            BrowserRequest.get("/login/tiqr/wait", "Waits for the phone, then leads on", web) { browser in
                try await wait(browser, context)
            }.asking("attempt!", "offline", "push"),
            BrowserRequest.get("/login/tiqr/events", "Server-sent events: the login has changed", web) { browser in
                try await context.events(browser, of: { try await context.attempt(PhoneRequestContext.login, browser) })
                { try await context.loginChange($0, unlike: $1) }
            }.asking("attempt!").streaming,
            BrowserRequest.post(
                "/login/tiqr/again", "Another code for the same login", web, pace: .login,
                purpose: { try PhoneRequestContext.purpose($0) }
            ) { browser in
                try await again(browser, context)
            }.asking("attempt!"),
            BrowserRequest.post(
                "/login/tiqr/otp", "What an offline phone shows", web, purpose: { try PhoneRequestContext.purpose($0) }
            ) { browser in
                try await otp(browser, context)
            }.asking("attempt!", "otp", "identity"),
            TiqrNumberRoutes.endpoint(context),
        ]
    }

    static func address(_ attempt: LoginAttempt, _ more: String = "") -> String {
        "/login/tiqr/wait?attempt=\(attempt.reference)\(more)"
    }

    /// Whose login it is to be once more, as long as they are logged in here: to whoever comes after them it shows
    /// nothing, and takes no guesses at their phone.
    static func isOwn(_ attempt: LoginAttempt, _ browser: BrowserRequest) -> Bool {
        attempt.account == nil || attempt.account == browser.context.session?.account.id
    }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        let place = try LoginPlace(browser.parameters), request = try await place.checked(browser)
        let person = browser.context.session?.account, phones = try await context.enrolled(person)
        let chosen = try browser.parameters["phone"].flatMap { Int($0) }.flatMap {
            phones.indices.contains($0) ? phones[$0] : nil
        }
        let phone = chosen ?? phones.first { $0.status != .blocked } ?? phones.first
        if person != nil {
            guard let phone else {
                return try await noPhone(place, browser, context, in: context.language(request, browser))
            }
            if phone.status == .blocked { return try await blocked(phone, phones, place, browser, context) }
        }
        let rings = try browser.parameters["push"] != "0"
        let started = try await context.ask(phone, request, browser, rings: rings)
        let attempt = try await context.web.attempts.open(
            PhoneRequestContext.login, subject: started.view.id, account: person?.id, then: place.then,
            browser: browser.context.browser)
        return browser.redirect(context.web.issuer + address(attempt, started.push == .queued ? "&push=1" : ""))
    }

    /// Another code: the one before is of no use any more.
    private static func again(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        guard let attempt = try await context.attempt(PhoneRequestContext.login, browser) else {
            return context.gone(browser)
        }
        guard isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let place = LoginPlace(then: attempt.then), before = try await context.state(attempt.subject),
            person = browser.context.session?.account
        if let before, let answered = try await context.tiqr.standing(before),
            attempt.account == nil || attempt.account == answered
        {
            return browser.redirect(context.web.issuer + address(attempt))
        }
        var phone: TiqrIdentity?
        if attempt.account != nil {
            let phones = try await context.enrolled(person), free = phones.filter { $0.status != .blocked }
            phone = free.first { $0.identity == before?.identity } ?? free.first
            guard phone != nil else {
                guard let first = phones.first else {
                    return try await noPhone(place, browser, context, in: browser.language)
                }
                return try await blocked(first, phones, place, browser, context)
            }
        }
        let started = try await context.ask(phone, try await context.request(place, browser), browser)
        guard try await context.web.attempts.replace(attempt, subject: started.view.id, account: attempt.account) else {
            try await context.tiqr.cancel(started.view.id, actor: context.actor(browser))
            return context.gone(browser)
        }
        if before?.status == .pending { try await context.tiqr.cancel(attempt.subject, actor: context.actor(browser)) }
        return browser.redirect(context.web.issuer + address(attempt, started.push == .queued ? "&push=1" : ""))
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        guard let attempt = try await context.attempt(PhoneRequestContext.login, browser),
            let view = try await context.state(attempt.subject)
        else { return context.gone(browser) }
        guard isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let ending: PhoneEndingPage.Ending
        switch view.status {
        case .authenticated where view.number?.state == .wrong: ending = .failed
        case .authenticated where !view.isMatched: return try await number(browser, context, attempt, view)
        case .authenticated: return try await context.finish(attempt, view, again: "/login/tiqr/again", browser)
        case .pending where view.number != nil: return try await number(browser, context, attempt, view)
        case .pending:
            guard try browser.parameters["offline"] == nil else {
                return try await offline(browser, context, attempt, view)
            }
            return try await waiting(browser, context, attempt, view)
        case .expired: ending = .expired
        case .failed: ending = .failed
        case .cancelled: ending = .cancelled
        }
        let place = LoginPlace(then: attempt.then), phones = try await asked(attempt, browser, context)
        if let phone = phones.first(where: { $0.identity == view.identity }), phone.status == .blocked {
            return try await blocked(phone, phones, place, browser, context)
        }
        let language = context.language(try await context.request(place, browser), browser)
        let next = PhoneEndingPage.Next.again(
            action: "/login/tiqr/again", attempt: attempt.reference, formToken: context.formToken(attempt, browser))
        return context.ending(
            ending, browser, in: language, next: next,
            others: context.others(than: view.identity, among: phones, place, in: language),
            password: context.password(attempt.account, place),
            alternatives: try await context.alternatives(attempt.account, place, in: language, browser))
    }

    /// Unless the phone was blocked meanwhile: then no number is worth telling.
    private static func number(
        _ browser: BrowserRequest, _ context: PhoneRequestContext, _ attempt: LoginAttempt, _ view: AuthenticationView
    ) async throws -> Response {
        let phones = try await asked(attempt, browser, context)
        if let phone = phones.first(where: { $0.identity == view.identity }), phone.status == .blocked {
            return try await blocked(phone, phones, LoginPlace(then: attempt.then), browser, context)
        }
        return try await TiqrNumberRoutes.page(browser, context, attempt, view)
    }

    private static func waiting(
        _ browser: BrowserRequest, _ context: PhoneRequestContext, _ attempt: LoginAttempt, _ view: AuthenticationView
    ) async throws -> Response {
        let place = LoginPlace(then: attempt.then), phones = try await asked(attempt, browser, context),
            phone = phones.first { $0.identity == view.identity }
        if let phone, phone.status == .blocked { return try await blocked(phone, phones, place, browser, context) }
        let request = try await context.request(place, browser), language = context.language(request, browser)
        let own = language.tiqr
        let events =
            "/login/tiqr/events?attempt=\(attempt.reference)&seen=\(PhoneRequestContext.tag(view.id, view.etag))"
        let page = PhoneWaitPage(
            language, title: own.title, lead: own.lead, isLogin: true,
            link: try await context.tiqr.shown(view.id).authURL, events: events,
            client: request.map { ClientShown($0.client, in: language) },
            pushed: try browser.parameters["push"] != nil, asked: phone.map { LoginPhone($0).label(language) },
            others: context.others(than: view.identity, among: phones, place, in: language),
            offline: PageLink(label: own.offlineLink, href: address(attempt, "&offline=1")),
            password: context.password(attempt.account, place),
            alternatives: try await context.alternatives(attempt.account, place, in: language, browser)
        )
        return browser.html(page.html, watches: true, hasForm: false)
    }

    /// Whose phone is asked: their phones.
    private static func asked(
        _ attempt: LoginAttempt, _ browser: BrowserRequest, _ context: PhoneRequestContext
    ) async throws -> [TiqrIdentity] {
        guard let account = attempt.account, let person = browser.context.session?.account, person.id == account else {
            return []
        }
        return try await context.enrolled(person)
    }

    private static func blocked(
        _ phone: TiqrIdentity, _ phones: [TiqrIdentity], _ place: LoginPlace, _ browser: BrowserRequest,
        _ context: PhoneRequestContext
    ) async throws -> Response {
        let doors = try await context.alternatives(
            browser.context.session?.account.id, place, in: browser.language, browser)
        return context.ending(
            .blocked(seconds: context.tiqr.secondsBlocked(phone)), browser,
            others: context.others(than: phone.identity, among: phones, place, in: browser.language),
            alternatives: doors)
    }

    private static func noPhone(
        _ place: LoginPlace, _ browser: BrowserRequest, _ context: PhoneRequestContext, in language: Language
    ) async throws -> Response {
        let doors = try await context.alternatives(browser.context.session?.account.id, place, in: language, browser)
        return context.ending(.noPhone, browser, in: language, next: .begin("/account/phones/add"), alternatives: doors)
    }

    // MARK: Offline

    private static func offline(
        _ browser: BrowserRequest, _ context: PhoneRequestContext, _ attempt: LoginAttempt, _ view: AuthenticationView,
        problem: PhoneOfflinePage.Problem? = nil, typed: String = ""
    ) async throws -> Response {
        let place = LoginPlace(then: attempt.then), phones = try await asked(attempt, browser, context),
            request = try await context.request(place, browser)
        let language = context.language(request, browser)
        let page = PhoneOfflinePage(
            language, attempt: attempt.reference, formToken: context.formToken(attempt, browser),
            back: address(attempt),
            asksIdentity: view.identity == nil, identity: typed, problem: problem,
            asked: phones.first { $0.identity == view.identity }.map { LoginPhone($0) },
            others: context.others(than: view.identity, among: phones, place, in: language)
        )
        // A right one-time password leads on to the application by redirects.
        return browser.html(page.html, leadsTo: request.map { [$0.target.redirectURI] } ?? [])
    }

    private static func otp(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        guard let attempt = try await context.attempt(PhoneRequestContext.login, browser),
            let view = try await context.state(attempt.subject)
        else { return context.gone(browser) }
        guard isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let otp = try browser.parameters["otp"] ?? "",
            typed = try (browser.parameters["identity"] ?? "").filter { !$0.isWhitespace }
        guard view.status == .pending else { return browser.redirect(context.web.issuer + address(attempt)) }
        guard view.identity != nil || !typed.isEmpty else {
            return try await offline(browser, context, attempt, view, problem: .unknown)
        }
        let problem: PhoneOfflinePage.Problem
        do {
            _ = try await context.tiqr.answer(
                attempt.subject, otp: otp, identity: view.identity == nil ? typed : nil, actor: context.actor(browser))
            return browser.redirect(context.web.issuer + address(attempt))
        } catch TiqrRefusal.invalidOTP(let left) {
            problem = .wrong(attemptsLeft: left)
        } catch TiqrRefusal.accountBlocked(let minutes) {
            let phones = try await asked(attempt, browser, context), place = LoginPlace(then: attempt.then)
            return context.ending(
                .blocked(seconds: minutes * 60), browser,
                others: context.others(than: view.identity, among: phones, place, in: browser.language),
                password: context.password(attempt.account, place))
        } catch TiqrRefusal.invalidRequest {
            problem = .malformed
        } catch TiqrRefusal.notFound {
            problem = .unknown
        } catch TiqrRefusal.invalidChallenge {
            return browser.redirect(context.web.issuer + address(attempt))
        }
        return try await offline(browser, context, attempt, view, problem: problem, typed: typed)
    }
}
