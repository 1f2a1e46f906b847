import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A person's phones that approve: setting one up, which ends in comparing digits, and removing one. Who may:
/// `LoginRequestContext.detour`.
///
/// Setting up proves no PIN yet, so it raises nobody's session: where two factors are due, the new phone is asked next.
enum AccountApprovalRoutes {
    private static let approvals = "/account/approvals", add = approvals + "/add"

    static func endpoints(_ context: ApprovalRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(add, "How to set up a phone that approves", web) { browser in
                try await begin(browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.post(add, "Begins to set up a phone that approves", web, purpose: { _ in "approvals" }) {
                browser in try await register(browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.get("/account/approvals/wait", "Waits for the phone, then for its person's word", web) {
                browser in try await wait(browser, context)
            }.asking("attempt!"),
            BrowserRequest.get("/account/approvals/events", "Server-sent events: the phone is further", web) {
                browser in
                try await context.setupEvents(browser) { try await context.setupChange($0, unlike: $1) }
            }.asking("attempt!").streaming,
            BrowserRequest.post(
                "/account/approvals/confirm", "Phone and page show the same digits", web,
                purpose: { try ApprovalRequestContext.purpose($0) }
            ) { browser in
                guard let attempt = try await context.ownSetup(browser), let account = attempt.account else {
                    return context.gone(browser)
                }
                if let session = browser.context.session,
                    let first = try await context.overtaken(session, LoginPlace(returnTo: add))
                {
                    return browser.redirect(first)
                }
                // Whatever became of it, the page that waits says it.
                if try await context.approval.confirm(attempt.subject, of: account, actor: context.actor(browser)),
                    let owner = browser.context.session?.account
                {
                    try await web.recovery.factorAdded(ApprovalLogin.factor, id: attempt.subject, to: owner)
                }
                return browser.redirect(web.issuer + address(attempt))
            }.asking("attempt!"),
            BrowserRequest.post(
                "/account/approvals/cancel", "It was another person who scanned the code", web,
                purpose: { try ApprovalRequestContext.purpose($0) }
            ) { browser in
                guard let attempt = try await context.ownSetup(browser), let account = attempt.account else {
                    return context.gone(browser)
                }
                try await context.approval.abandon(attempt.subject, of: account, actor: context.actor(browser))
                return browser.redirect("\(web.issuer)/account")
            }.asking("attempt!"),
            BrowserRequest.post(
                "/account/approvals/remove", "Removes a phone that approves", web, purpose: { _ in "account" }
            ) { browser in
                try await remove(browser, context)
            }.asking("phone!"),
        ]
    }

    private static func address(_ attempt: LoginAttempt) -> String {
        "/account/approvals/wait?attempt=\(attempt.reference)"
    }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response {
        let place = try context.place(add, browser)
        return try await context.changing(place, browser) { session, request in
            let isNeeded = try await context.web.isDue(ApprovalRequestContext.login, of: session.account),
                (base, config) = try await context.approval.configuration()
            let language = context.language(request, browser), own = language.approval
            let page = PhoneSetupPage(
                language, .begin(reference: place.reference, isNeeded: isNeeded), own.setup, at: approvals,
                formToken: browser.context.formToken("approvals"),
                configuration: config.map {
                    .init(
                        title: own.configuration, lead: own.configurationText, address: own.address, base: base,
                        text: $0)
                }, alternative: context.otherSetup(place), instead: context.setupInstead(place, in: language))
            return browser.html(page.html)
        }
    }

    private static func register(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response
    {
        let place = try context.place(add, browser)
        return try await context.changing(place, browser) { session, _ in
            let phone: String
            do {
                phone = try await context.approval.register(
                    session.account.id, below: session.lineage, actor: context.actor(browser))
            } catch BackOfficeRefusal.registrationNotAllowed {
                return context.ending(.tooMany, browser)
            }
            return browser.redirect(
                context.web.issuer
                    + address(try await context.openSetup(phone, of: session.account, for: place, browser)))
        }
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response {
        guard let attempt = try await context.ownSetup(browser),
            let setup = try await context.approval.setup(attempt.subject)
        else { return context.gone(browser) }
        let place = LoginPlace(then: attempt.then),
            language = context.language(try await context.request(place, browser), browser)
        let own = language.approval
        let seen = ApprovalRequestContext.tag(attempt.subject, setup.etag)
        let events = "/account/approvals/events?attempt=\(attempt.reference)&seen=\(seen)"
        switch setup.stage {
        case .scan:
            let started = try await context.approval.code(of: setup)
            let page = PhoneWaitPage(
                language, title: own.setup.scanTitle, lead: own.setup.scanLead, code: started.qrText,
                typed: .init(label: own.typed, text: started.code.text), events: events)
            return browser.html(page.html, watches: true, hasForm: false)
        case .compare(let fingerprint):
            let digits = ApprovingPhone.grouped(fingerprint), token = context.formToken(attempt, browser)
            let step = PhoneSetupPage.Step.compare(
                attempt: attempt.reference, digits: digits, same: own.same, events: events)
            let page = PhoneSetupPage(language, step, own.setup, at: approvals, formToken: token)
            return browser.html(page.html, watches: true)
        case .done: return browser.redirect(context.web.issuer + attempt.then)
        case .expired, .cancelled:
            return context.ending(
                setup.stage == .expired ? .expired : .cancelled, browser, in: language, next: .begin(place.onward(add)))
        }
    }

    // MARK: Removing

    private static func remove(_ browser: BrowserRequest, _ context: ApprovalRequestContext) async throws -> Response {
        try await context.remove(
            browser, isKept: { if case BackOfficeRefusal.registrationNotAllowed = $0 { true } else { false } },
            { phone, account, isLast, transaction in
                do {
                    try await context.approval.remove(
                        phone, of: account.id, keepingOne: isLast, actor: context.actor(browser), in: transaction)
                } catch BackOfficeRefusal.registrationNotFound {
                    throw OAuthError(.notFound, "there is no such phone")
                }
            })
    }
}
