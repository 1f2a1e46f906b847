import Accounts
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Recovery codes: making and removing them, and logging in with one.
enum RecoveryCodeRoutes {
    static let page = "/account/recovery", login = "/login/recovery"

    static func endpoints(_ codes: RecoveryCodes, _ web: WebSide) -> [Endpoint] {
        let context = RecoveryRequestContext(web: web)
        return [
            BrowserRequest.get(page, "How to make recovery codes", web) { browser in
                try await context.changing(LoginPlace(returnTo: page), browser) { session, _ in
                    let left = try await codes.count(of: session.account.id)
                    return browser.html(
                        RecoveryCodesPage(
                            browser.language, left: left, formToken: browser.context.formToken("account")
                        ).html)
                }
            },
            BrowserRequest.post(page, "Makes recovery codes, and shows them once", web, purpose: { _ in "account" }) {
                browser in
                try await context.changing(LoginPlace(returnTo: page), browser) { session, _ in
                    let made: [String]
                    do { made = try await codes.make(for: session, browser.context) } catch RecoveryCodes.Refused.over {
                        return browser.redirect("\(web.issuer)/login?return_to=\(page)")
                    }
                    // Whoever has them comes back with them.
                    try await web.recovery.factorAdded(RecoveryCodes.factor, id: "all", to: session.account)
                    return browser.html(
                        RecoveryCodesPage(
                            browser.language, left: 0, codes: made, formToken: browser.context.formToken("account")
                        ).html)
                }
            },
            BrowserRequest.revoke("\(page)/remove", "Removes all recovery codes", web, .codesRemoved) {
                browser, session in
                try await codes.remove(of: session, web.recovery.notices, browser.context)
            },
            BrowserRequest.get(login, "Asks for a recovery code", web) { browser in
                let place = try LoginPlace(browser.parameters)
                guard browser.context.session != nil else {
                    return browser.redirect("\(web.issuer)/login?\(place.query)")
                }
                return try await asking(place, browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.post(
                login, "A recovery code", web, pace: .login, purpose: { try LoginPlace($0).purpose }
            ) { browser in
                try await answer(browser, codes, context)
            }.asking(LoginPlace.members + ["code"]),
        ]
    }

    private static func asking(
        _ place: LoginPlace, _ browser: BrowserRequest, _ context: RecoveryRequestContext, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let request = try await place.checked(browser), language = context.language(request, browser)
        let others = try await context.alternatives(browser.context.session?.account.id, place, in: language, browser)
        return browser.html(
            RecoveryCodePage(
                language, reference: place.reference, returnTo: place.returnTo,
                formToken: browser.context.formToken(place.purpose), others: others, problem: problem
            ).html, status: status, leadsTo: request.map { [$0.target.redirectURI] } ?? [])
    }

    private static func answer(
        _ browser: BrowserRequest, _ codes: RecoveryCodes, _ context: RecoveryRequestContext
    ) async throws -> Response {
        let place = try LoginPlace(browser.parameters), language = browser.language
        do {
            let cookie = try await codes.logIn(
                try browser.parameters["code"] ?? "", then: place.then, context.web, browser.context)
            return browser.redirect(context.web.issuer + place.then, session: cookie)
        } catch RecoveryCodes.Refused.wrong {
            return try await asking(place, browser, context, problem: language.recovery.wrong)
        } catch RecoveryCodes.Refused.tooMany(let seconds) {
            let wait = language.strings.wait.text(seconds: seconds)
            return try await asking(
                place, browser, context, problem: language.own.login.tooMany(wait), status: .tooManyRequests)
        } catch RecoveryCodes.Refused.over {
            return browser.redirect("\(context.web.issuer)/login?\(place.query)")
        }
    }
}

extension AccountNotice {
    static let codesRemoved = AccountNotice("codes-removed") { $0.recovery.removed }
}
