import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Logging in, or once more, by approving in an app. The page that waits completes the login when it finds that a phone
/// has approved; nothing else does. It is drawn anew whenever the proximity code in it is another.
enum ApprovalLoginRoutes {
    private static let again = "/login/approval/again"

    static func endpoints(_ context: ApprovalRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get("/login/approval", "Begins a login that is approved in an app", web, pace: .login) {
                browser in try await begin(browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.get("/login/approval/wait", "Waits for the approval, then leads on", web) { browser in
                try await wait(browser, context)
            }.asking("attempt!", "push"),
            BrowserRequest.get(
                "/login/approval/events", "Server-sent events: the login, or the code to be scanned, has changed", web
            ) { browser in
                try await context.events(
                    browser, of: { try await context.attempt(ApprovalRequestContext.login, browser) }
                ) { try await context.loginChange($0, unlike: $1) }
            }.asking("attempt!").streaming,
            BrowserRequest.post(
                again, "Asks once more for the same login", web, pace: .login,
                purpose: { try ApprovalRequestContext.purpose($0) }
            ) { browser in
                try await askAgain(browser, context)
            }.asking("attempt!"),
        ]
    }

    private static func address(_ attempt: LoginAttempt, rings: Bool = false) -> String {
        "/login/approval/wait?attempt=\(attempt.reference)" + (rings ? "&push=1" : "")
    }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response {
        let place = try LoginPlace(browser.parameters), request = try await place.checked(browser),
            person = browser.context.session?.account
        if let person, let ending = try await context.hindrance(person) {
            return try await hindered(ending, person, place, browser, context)
        }
        let (login, rings) = try await context.ask(person, request, browser)
        let attempt = try await context.web.attempts.open(
            ApprovalRequestContext.login, subject: login.id, account: person?.id, then: place.then,
            browser: browser.context.browser)
        return browser.redirect(context.web.issuer + address(attempt, rings: rings))
    }

    /// Another operation: the one before is of no use any more.
    private static func askAgain(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response
    {
        guard let attempt = try await context.attempt(ApprovalRequestContext.login, browser) else {
            return context.gone(browser)
        }
        let place = LoginPlace(then: attempt.then), before = try await context.approval.state(attempt.subject),
            person = browser.context.session?.account
        guard attempt.account == nil || attempt.account == person?.id else {
            return browser.redirect(context.web.issuer + attempt.then)
        }
        if let before, let approved = try await context.approval.standing(before),
            attempt.account == nil || attempt.account == approved
        {
            return browser.redirect(context.web.issuer + address(attempt))
        }
        // Somebody may have logged in meanwhile in whose session the attempt names nobody: then it still asks whoever
        // comes.
        let asked = attempt.account == nil ? nil : person
        if let asked, let ending = try await context.hindrance(asked) {
            return try await hindered(ending, asked, place, browser, context)
        }
        let (login, rings) = try await context.ask(asked, try await context.request(place, browser), browser)
        guard try await context.web.attempts.replace(attempt, subject: login.id, account: attempt.account) else {
            try await context.approval.cancel(login.id, actor: context.actor(browser))
            return context.gone(browser)
        }
        if before?.status == .pending {
            try await context.approval.cancel(attempt.subject, actor: context.actor(browser))
        }
        return browser.redirect(context.web.issuer + address(attempt, rings: rings))
    }

    private static func hindered(
        _ ending: PhoneEndingPage.Ending, _ person: Account, _ place: LoginPlace, _ browser: BrowserRequest,
        _ context: ApprovalRequestContext
    ) async throws -> Response {
        let doors = try await context.alternatives(person.id, place, in: browser.language, browser)
        return context.ending(
            ending, browser, next: ending == .noPhone ? .begin("/account/approvals/add") : .nothing, alternatives: doors
        )
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response {
        guard let attempt = try await context.attempt(ApprovalRequestContext.login, browser),
            let login = try await context.approval.state(attempt.subject)
        else {
            return context.gone(browser)
        }
        let ending: PhoneEndingPage.Ending?
        switch login.status {
        case .approved: return try await context.finish(attempt, login, again: again, browser)
        case .pending: return try await waiting(browser, context, attempt, login)
        case .rejected: ending = nil
        case .expired: ending = .expired
        case .failed: ending = .failed
        case .canceled: ending = .cancelled
        }
        let place = LoginPlace(then: attempt.then),
            language = context.language(try await context.request(place, browser), browser)
        let next = PhoneEndingPage.Next.again(
            action: again, attempt: attempt.reference, formToken: context.formToken(attempt, browser))
        let said = ending ?? .rejected(login.rejectReason, in: language)
        return context.ending(
            said, browser, in: language, next: next, password: context.password(attempt.account, place),
            alternatives: try await context.alternatives(attempt.account, place, in: language, browser))
    }

    private static func waiting(
        _ browser: BrowserRequest, _ context: ApprovalRequestContext, _ attempt: LoginAttempt, _ login: LoginOperation
    ) async throws -> Response {
        let place = LoginPlace(then: attempt.then), request = try await context.request(place, browser),
            language = context.language(request, browser)
        let seen = ApprovalRequestContext.tag(login.id, login.etag)
        let events = "/login/approval/events?attempt=\(attempt.reference)&seen=\(seen)"
        let page = PhoneWaitPage(
            language, title: language.approval.title, lead: language.approval.lead, isLogin: true, link: login.deeplink,
            events: events, client: request.map { ClientShown($0.client, in: language) },
            pushed: try browser.parameters["push"] != nil, password: context.password(attempt.account, place),
            alternatives: try await context.alternatives(attempt.account, place, in: language, browser)
        )
        return browser.html(page.html, watches: true, hasForm: false)
    }
}
