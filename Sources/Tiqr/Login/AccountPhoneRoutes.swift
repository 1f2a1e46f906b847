import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A person's phones for logging in: setting one up, which ends in its first login, and removing one. Who may:
/// `LoginRequestContext.detour`.
enum AccountPhoneRoutes {
    private static let phones = "/account/phones", add = phones + "/add"

    static func endpoints(_ context: PhoneRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(add, "How to set up a phone", web) { browser in try await begin(browser, context) }
                .asking(LoginPlace.members),
            BrowserRequest.post(add, "Begins to set up a phone", web, purpose: { _ in "phones" }) { browser in
                try await enroll(browser, context)
            }.asking(LoginPlace.members + ["app"]),
            BrowserRequest.get("/account/phones/wait", "Waits for the phone, then for its first login", web) {
                browser in try await wait(browser, context)
            }.asking("attempt!"),
            BrowserRequest.get("/account/phones/events", "Server-sent events: the phone is further", web) { browser in
                try await context.setupEvents(browser) { try await change(Setup($0), unlike: $1, context) }
            }.asking("attempt!").streaming,
            BrowserRequest.post(
                "/account/phones/again", "Another code for the first login", web,
                purpose: { try PhoneRequestContext.purpose($0) }
            ) { browser in
                guard let attempt = try await context.ownSetup(browser) else { return context.gone(browser) }
                return try await firstLogin(attempt, browser, context)
            }.asking("attempt!"),
            BrowserRequest.post(
                "/account/phones/cancel", "It was another person who scanned the code", web,
                purpose: { try PhoneRequestContext.purpose($0) }
            ) { browser in
                guard let attempt = try await context.ownSetup(browser) else { return context.gone(browser) }
                try await cancel(attempt, browser, context)
                return browser.redirect("\(web.issuer)/account")
            }.asking("attempt!"),
            BrowserRequest.post("/account/phones/remove", "Removes a phone", web, purpose: { _ in "account" }) {
                browser in try await remove(browser, context)
            }.asking("phone!"),
        ]
    }

    /// What an attempt is at, as its subject tells: the enrollment, and later the first login with what it made.
    private struct Setup {
        let enrollment: String
        let login: String?

        init(_ subject: String) {
            let parts = subject.split(separator: "/").map(String.init)
            (enrollment, login) = (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
        }

        func withLogin(_ login: String) -> String { "\(enrollment)/\(login)" }
    }

    private static func address(_ attempt: LoginAttempt) -> String {
        "/account/phones/wait?attempt=\(attempt.reference)"
    }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        let place = try context.place(add, browser)
        return try await context.changing(place, browser) { session, request in
            let isNeeded = try await context.web.isDue(PhoneRequestContext.login, of: session.account)
            let language = context.language(request, browser)
            let choices = try await context.tiqr.apps().map {
                PhoneSetupPage.AppChoice(value: $0.identifier, label: $0.name)
            }
            let page = PhoneSetupPage(
                language, .begin(reference: place.reference, isNeeded: isNeeded), language.tiqr.setup, at: phones,
                formToken: browser.context.formToken("phones"), alternative: context.otherSetup(place),
                instead: context.setupInstead(place, in: language), choices: choices)
            return browser.html(page.html)
        }
    }

    private static func enroll(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        let place = try context.place(add, browser)
        return try await context.changing(place, browser) { session, _ in
            let account = session.account, started: StartedEnrollment
            do {
                started = try await context.tiqr.enroll(
                    account.id, displayName: account.name ?? account.username,
                    app: try browser.parameters["app"], below: session.lineage,
                    actor: context.actor(browser))
            } catch TiqrRefusal.conflict {
                return context.ending(.tooMany, browser)
            }
            return browser.redirect(
                context.web.issuer
                    + address(try await context.openSetup(started.view.id, of: account, for: place, browser)))
        }
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        guard let attempt = try await context.ownSetup(browser) else { return context.gone(browser) }
        let setup = Setup(attempt.subject),
            language = context.language(try await context.request(LoginPlace(then: attempt.then), browser), browser)
        if let login = setup.login { return try await waitForLogin(login, attempt, language, browser, context) }
        let started: StartedEnrollment
        do { started = try await context.tiqr.shownEnrollment(setup.enrollment) } catch TiqrRefusal.notFound {
            return context.gone(browser)
        }
        let stream = events(attempt, PhoneRequestContext.tag(started.view.id, started.view.etag))
        switch started.view.status {
        case .initialized:
            // Browsers on Android break this link (protocols/tiqr.md, 1.4).
            let opensHere = browser.context.device?.contains("Android") != true
            let texts = language.tiqr.setup
            let page = PhoneWaitPage(
                language, title: texts.scanTitle, lead: texts.scanLead, link: started.enrollURL, opensHere: opensHere,
                events: stream)
            return browser.html(page.html, watches: true, hasForm: false)
        case .retrieved:
            let step = PhoneSetupPage.Step.confirm(attempt: attempt.reference, events: stream)
            let token = context.formToken(attempt, browser)
            let page = PhoneSetupPage(language, step, language.tiqr.setup, at: phones, formToken: token)
            return browser.html(page.html, watches: true)
        case .finalized: return try await firstLogin(attempt, browser, context)
        case .validated: return browser.redirect(context.web.issuer + attempt.then)
        case .expired, .cancelled:
            let again = LoginPlace(then: attempt.then).onward(add)
            return context.ending(
                started.view.status == .expired ? .expired : .cancelled, browser, in: language, next: .begin(again))
        }
    }

    /// A phone that registered before it could be cancelled goes again: whoever says so holds another.
    private static func cancel(
        _ attempt: LoginAttempt, _ browser: BrowserRequest, _ context: PhoneRequestContext
    ) async throws {
        let enrollment = Setup(attempt.subject).enrollment, actor = context.actor(browser)
        do {
            try await context.tiqr.cancelEnrollment(enrollment, actor: actor)
        } catch TiqrRefusal.conflict {
            guard let account = attempt.account else { return }
            let phone = try await context.tiqr.enrollment(enrollment).identity
            do { try await context.tiqr.remove(phone, of: account, actor: actor) } catch TiqrRefusal.notFound {}
        } catch TiqrRefusal.notFound {}
    }

    /// Asks the new phone for its first answer, which shows that its PIN is right. Whoever began with a password,
    /// before there was a phone, shows the phone that there is by now first: the password alone has become too little.
    private static func firstLogin(
        _ attempt: LoginAttempt, _ browser: BrowserRequest, _ context: PhoneRequestContext
    ) async throws -> Response {
        let setup = Setup(attempt.subject), started: StartedAuthentication
        if let login = setup.login, let before = try await context.state(login),
            before.status == .pending || before.status == .authenticated
        {
            return browser.redirect(context.web.issuer + address(attempt))
        }
        if let session = browser.context.session,
            let first = try await context.overtaken(session, LoginPlace(returnTo: add))
        {
            return browser.redirect(first)
        }
        do {
            let phone = try await context.tiqr.enrollment(setup.enrollment).identity
            started = try await context.tiqr.begin(
                attempt.account, phone: phone, to: nil, push: false, below: browser.context.session?.lineage ?? [],
                actor: context.actor(browser))
        } catch TiqrRefusal.notFound {
            return context.gone(browser)
        }
        if try await !context.web.attempts.replace(
            attempt, subject: setup.withLogin(started.view.id), account: attempt.account)
        {
            try await context.tiqr.cancel(started.view.id, actor: context.actor(browser))
        }
        return browser.redirect(context.web.issuer + address(attempt))
    }

    private static func waitForLogin(
        _ login: String, _ attempt: LoginAttempt, _ language: Language, _ browser: BrowserRequest,
        _ context: PhoneRequestContext
    ) async throws -> Response {
        guard let account = attempt.account, let view = try await context.state(login) else {
            return context.gone(browser)
        }
        let again = "/account/phones/again",
            phone = try await context.tiqr.phones(of: account).first { $0.identity == view.identity }
        if view.status == .authenticated { return try await context.finish(attempt, view, again: again, browser) }
        if let phone, phone.status == .blocked {
            return context.ending(.blocked(seconds: context.tiqr.secondsBlocked(phone)), browser, in: language)
        }
        let ending: PhoneEndingPage.Ending
        switch view.status {
        case .pending, .authenticated:
            let link = try await context.tiqr.shown(login).authURL
            let texts = language.tiqr.first, stream = events(attempt, PhoneRequestContext.tag(login, view.etag))
            let page = PhoneWaitPage(language, title: texts.title, lead: texts.lead, link: link, events: stream)
            return browser.html(page.html, watches: true, hasForm: false)
        case .expired: ending = .expired
        case .failed: ending = .failed
        case .cancelled: ending = .cancelled
        }
        return context.ending(
            ending, browser, in: language,
            next: .again(action: again, attempt: attempt.reference, formToken: context.formToken(attempt, browser)))
    }

    private static func events(_ attempt: LoginAttempt, _ tag: String) -> String {
        "/account/phones/events?attempt=\(attempt.reference)&seen=\(tag)"
    }

    private static func change(
        _ setup: Setup, unlike tag: String, _ context: PhoneRequestContext
    ) async throws -> WatchedEvents.State {
        if let login = setup.login { return try await context.loginChange(login, unlike: tag) }
        return try await context.change(
            of: setup.enrollment, unlike: tag, now: { try await context.tiqr.enrollment($0) },
            later: { try await context.tiqr.waitEnrollment($0, unlike: $1, within: WatchedEvents.heartbeat) })
    }

    // MARK: Removing

    private static func remove(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        try await context.remove(
            browser, isKept: { if case TiqrRefusal.conflict = $0 { true } else { false } },
            { phone, account, isLast, transaction in
                try await context.tiqr.remove(
                    phone, of: account.id, keepingOne: isLast, actor: context.actor(browser), in: transaction)
            })
    }
}
