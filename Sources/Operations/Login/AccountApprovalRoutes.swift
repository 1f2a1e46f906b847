import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A person's phones that approve: setting one up, which ends in comparing digits, and removing one. Who may: `LoginRequestContext.detour`.
///
/// Setting up proves no PIN yet, so it raises nobody's session: where two factors are due, the new phone is asked next.
enum AccountApprovalRoutes {
    private static let approvals = "/account/approvals", add = approvals + "/add"

    static func endpoints(_ desk: ApprovalRequestContext) -> [Endpoint] {
        let web = desk.web
        return [
            BrowserRequest.get(add, "How to set up a phone that approves", web) { browser in try await begin(browser, desk) },
            BrowserRequest.post(add, "Begins to set up a phone that approves", web, purpose: { _ in "approvals" }) { browser in try await register(browser, desk) },
            BrowserRequest.get("/account/approvals/wait", "Waits for the phone, then for its person's word", web) { browser in try await wait(browser, desk) },
            BrowserRequest.get("/account/approvals/events", "Server-sent events: the phone is further", web) { browser in
                try await desk.setupEvents(browser) { try await desk.setupChange($0, unlike: $1) }
            },
            BrowserRequest.post("/account/approvals/confirm", "Phone and page show the same digits", web, purpose: { try ApprovalRequestContext.purpose($0) }) { browser in
                guard let attempt = try await desk.ownSetup(browser), let account = attempt.account else { return desk.gone(browser) }
                if let session = browser.visitor.session, let first = try await desk.overtaken(session, LoginPlace(returnTo: add)) { return browser.redirect(first) }
                // Whatever became of it, the page that waits says it.
                _ = try await desk.house.confirm(attempt.subject, of: account, actor: desk.actor(browser))
                return browser.redirect(web.issuer + address(attempt))
            },
            BrowserRequest.post("/account/approvals/cancel", "It was another person who scanned the code", web, purpose: { try ApprovalRequestContext.purpose($0) }) { browser in
                guard let attempt = try await desk.ownSetup(browser), let account = attempt.account else { return desk.gone(browser) }
                try await desk.house.abandon(attempt.subject, of: account, actor: desk.actor(browser))
                return browser.redirect("\(web.issuer)/account")
            },
            BrowserRequest.post("/account/approvals/remove", "Removes a phone that approves", web, purpose: { _ in "account" }) { browser in
                try await remove(browser, desk)
            },
        ]
    }

    private static func address(_ attempt: LoginAttempt) -> String { "/account/approvals/wait?attempt=\(attempt.reference)" }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ desk: ApprovalRequestContext) async throws -> Response {
        let place = try desk.place(add, browser)
        return try await desk.changing(place, browser) { session, request in
            let isNeeded = try await desk.web.isDue(ApprovalRequestContext.login, of: session.account), (base, config) = try await desk.house.configuration()
            let language = desk.language(request, browser), own = language.approval
            let page = PhoneSetupPage(
                language, .begin(reference: place.reference, isNeeded: isNeeded), own.setup, at: approvals,
                formToken: browser.visitor.formToken("approvals"),
                configuration: config.map {
                    .init(
                        title: own.configuration, lead: own.configurationText, address: own.address, base: base, text: $0)
                }, alternative: desk.otherSetup(place), instead: desk.setupInstead(place, in: language))
            return browser.html(page.html)
        }
    }

    private static func register(_ browser: BrowserRequest, _ desk: ApprovalRequestContext) async throws -> Response {
        let place = try desk.place(add, browser)
        return try await desk.changing(place, browser) { session, _ in
            let phone: String
            do {
                phone = try await desk.house.register(session.account.id, below: session.lineage, actor: desk.actor(browser))
            } catch BackOfficeRefusal.registrationNotAllowed {
                return desk.ending(.tooMany, browser)
            }
            return browser.redirect(desk.web.issuer + address(try await desk.openSetup(phone, of: session.account, for: place, browser)))
        }
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ desk: ApprovalRequestContext) async throws -> Response {
        guard let attempt = try await desk.ownSetup(browser), let setup = try await desk.house.setup(attempt.subject) else { return desk.gone(browser) }
        let place = LoginPlace(then: attempt.then), language = desk.language(try await desk.request(place, browser), browser)
        let own = language.approval
        let events = "/account/approvals/events?attempt=\(attempt.reference)&seen=\(ApprovalRequestContext.tag(attempt.subject, setup.etag))"
        switch setup.stage {
        case .scan:
            let started = try await desk.house.code(of: setup)
            let page = PhoneWaitPage(
                language, title: own.setup.scanTitle, lead: own.setup.scanLead, code: started.qrText,
                typed: .init(label: own.typed, text: started.code.text), events: events)
            return browser.html(page.html, watches: true, hasForm: false)
        case .compare(let fingerprint):
            let digits = ApprovingPhone.grouped(fingerprint), token = desk.formToken(attempt, browser)
            let step = PhoneSetupPage.Step.compare(
                attempt: attempt.reference, digits: digits, same: own.same, events: events)
            let page = PhoneSetupPage(language, step, own.setup, at: approvals, formToken: token)
            return browser.html(page.html, watches: true)
        case .done: return browser.redirect(desk.web.issuer + attempt.then)
        case .expired, .cancelled:
            return desk.ending(setup.stage == .expired ? .expired : .cancelled, browser, in: language, next: .begin(place.onward(add)))
        }
    }

    // MARK: Removing

    private static func remove(_ browser: BrowserRequest, _ desk: ApprovalRequestContext) async throws -> Response {
        try await desk.remove(browser, isKept: { if case BackOfficeRefusal.registrationNotAllowed = $0 { true } else { false } }, { phone, account, isLast, transaction in
            do {
                try await desk.house.remove(phone, of: account.id, keepingOne: isLast, actor: desk.actor(browser), in: transaction)
            } catch BackOfficeRefusal.registrationNotFound {
                throw OAuthError(.notFound, "there is no such phone")
            }
        })
    }
}
