import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Passkeys
import Vocabulary

/// Logging in, or once more, by a code that a wallet scans. The page that waits becomes the question whose wallet it
/// was that answered; the form that says yes completes the login, and nothing else does. So whoever scans a code that
/// somebody else has on the screen logs nobody in there unasked.
enum WalletCodeRoutes {
    static let page = "/login/wallet", again = "/login/wallet/again", confirm = "/login/wallet/confirm"

    static func endpoints(_ context: WalletCodeContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(page, "Begins a login by a code that a wallet scans", web, pace: .login) { browser in
                try await begin(browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.get(
                "/login/wallet/wait", "Waits for the wallet, then asks whether it is the person's", web
            ) { browser in
                try await wait(browser, context)
            }.asking("attempt!"),
            BrowserRequest.get("/login/wallet/events", "Server-sent events: a wallet has answered", web) { browser in
                try await context.events(browser, of: { try await context.attempt(WalletCodeContext.login, browser) }) {
                    try await context.loginChange($0, unlike: $1)
                }
            }.asking("attempt!").streaming,
            BrowserRequest.post(
                again, "Another code for the same login", web, pace: .login,
                purpose: { try WalletCodeContext.purpose($0) }
            ) { browser in
                try await askAgain(browser, context)
            }.asking("attempt!"),
            BrowserRequest.post(
                confirm, "Whether the wallet that answered is the person's", web,
                purpose: { try WalletCodeContext.purpose($0) }
            ) { browser in
                try await decide(browser, context)
            }.asking("attempt!", "answer!", "decision!:=allow|deny"),
        ]
    }

    private static func address(_ attempt: LoginAttempt) -> String { "/login/wallet/wait?attempt=\(attempt.reference)" }

    // MARK: Beginning

    private static func begin(_ browser: BrowserRequest, _ context: WalletCodeContext) async throws -> Response {
        let place = try LoginPlace(browser.parameters), request = try await place.checked(browser),
            person = browser.context.session?.account
        if let person, try await !context.codes.isEnrolled(person.id) {
            return try await context.unlinked(person, place, in: context.language(request, browser), browser)
        }
        let attempt = try await context.web.attempts.open(
            WalletCodeContext.login, subject: try await context.codes.begin(), account: person?.id, then: place.then,
            browser: browser.context.browser)
        return browser.redirect(context.web.issuer + address(attempt))
    }

    /// Another code: the one before is of no use any more, whoever answered it.
    private static func askAgain(_ browser: BrowserRequest, _ context: WalletCodeContext) async throws -> Response {
        guard let attempt = try await context.attempt(WalletCodeContext.login, browser) else {
            return context.gone(browser)
        }
        guard context.isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let id = try await context.codes.begin()
        guard try await context.web.attempts.replace(attempt, subject: id, account: attempt.account) else {
            try await context.codes.drop(id)
            return context.gone(browser)
        }
        try await context.codes.drop(attempt.subject)
        return browser.redirect(context.web.issuer + address(attempt))
    }

    // MARK: Waiting

    private static func wait(_ browser: BrowserRequest, _ context: WalletCodeContext) async throws -> Response {
        guard let attempt = try await context.attempt(WalletCodeContext.login, browser) else {
            return context.gone(browser)
        }
        guard context.isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let code = try await context.codes.state(attempt.subject), place = LoginPlace(then: attempt.then)
        let request = try await context.request(place, browser), language = context.language(request, browser)
        let client = request.map { ClientShown($0.client, in: language) }
        switch code.state {
        case .over: return try await context.ended(.expired, attempt, in: language, browser)
        case .answered(let answer):
            guard let account = answer.account else {
                return try await context.message(
                    language.walletCode.unknown, attempt, in: language, browser, status: .forbidden)
            }
            guard attempt.account == nil || attempt.account == account else {
                try await context.web.login.refuse(.another, asked: attempt.account, browser.context)
                return try await context.message(
                    language.walletCode.another, attempt, in: language, browser, status: .forbidden)
            }
            let page = WalletConfirmPage(
                language, client: client, address: answer.wallet, device: answer.passkey.device,
                attempt: attempt.reference, answer: answer.mark, formToken: context.formToken(attempt, browser))
            return browser.html(page.html, leadsTo: request.map { [$0.target.redirectURI] } ?? [])
        case .waiting:
            let seen = WalletCodeContext.tag(attempt.subject, code.etag), own = language.walletCode
            let page = PhoneWaitPage(
                language, title: own.title, lead: own.lead, isLogin: true, link: context.codes.link(attempt.subject),
                events: "/login/wallet/events?attempt=\(attempt.reference)&seen=\(seen)", client: client,
                password: context.password(attempt.account, place),
                alternatives: try await context.alternatives(attempt.account, place, in: language, browser))
            return browser.html(page.html, watches: true, hasForm: false)
        }
    }

    // MARK: Deciding

    private static func decide(_ browser: BrowserRequest, _ context: WalletCodeContext) async throws -> Response {
        let allowed = try browser.parameters.required("decision") == "allow"
        guard let attempt = try await context.attempt(WalletCodeContext.login, browser) else {
            return context.gone(browser)
        }
        guard context.isOwn(attempt, browser) else { return browser.redirect(context.web.issuer + attempt.then) }
        let language = context.language(try await context.request(LoginPlace(then: attempt.then), browser), browser),
            own = language.walletCode
        guard allowed else {
            try await context.codes.drop(attempt.subject)
            return try await context.message(own.declined, attempt, in: language, browser)
        }
        // Anything else than what was shown: the page says what there is now.
        guard case .answered(let answer) = try await context.codes.state(attempt.subject).state,
            answer.mark == (try browser.parameters.required("answer")), let account = answer.account
        else { return browser.redirect(context.web.issuer + address(attempt)) }
        do {
            let cookie = try await context.web.login.complete(
                account, by: Passkey.Flow.liquid.factor, methods: PasskeyAnswer.methodsOfWallets, using: attempt,
                browser.context
            ) { try await context.codes.take(attempt.subject, answer, of: account, in: $0) }
            guard let cookie else { return context.gone(browser) }
            return browser.redirect(context.web.issuer + attempt.then, session: cookie)
        } catch let why as BrowserLogin.Incomplete {
            switch why {
            case .over: return browser.redirect(context.web.issuer + attempt.then)
            case .another:
                return context.ending(.other(own.another, reason: nil), browser, in: language, status: .forbidden)
            case .suspended, .removed:
                return context.ending(.other(own.refused, reason: nil), browser, in: language, status: .forbidden)
            }
        }
    }
}
