import Accounts
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages

/// The number that a push brought is told here (docs/design/number-matching.md). No code is shown beside it: the phone
/// has its link from the push.
enum TiqrNumberRoutes {
    static func endpoint(_ context: PhoneRequestContext) -> Endpoint {
        BrowserRequest.post(
            "/login/tiqr/number", "The number that a push brought", context.web,
            purpose: { try PhoneRequestContext.purpose($0) }
        ) { browser in
            try await tell(browser, context)
        }.asking("attempt!", "number")
    }

    private static func tell(_ browser: BrowserRequest, _ context: PhoneRequestContext) async throws -> Response {
        guard let attempt = try await context.attempt(PhoneRequestContext.login, browser),
            let view = try await context.state(attempt.subject)
        else { return context.gone(browser) }
        let back = context.web.issuer + TiqrLoginRoutes.address(attempt)
        guard TiqrLoginRoutes.isOwn(attempt, browser) else {
            return browser.redirect(context.web.issuer + attempt.then)
        }
        guard view.number?.state == .due, view.status == .pending || view.status == .authenticated else {
            return browser.redirect(back)
        }
        guard try await !context.tiqr.isBlocked(view) else { return browser.redirect(back) }
        // What is no number is asked for again: it was no guess.
        guard let number = PushedNumber.typed(try browser.parameters["number"] ?? "") else {
            return try await page(browser, context, attempt, view, isMalformed: true)
        }
        try await context.tiqr.tell(number, of: attempt.subject, actor: context.actor(browser))
        return browser.redirect(back)
    }

    static func page(
        _ browser: BrowserRequest, _ context: PhoneRequestContext, _ attempt: LoginAttempt, _ view: AuthenticationView,
        isMalformed: Bool = false
    ) async throws -> Response {
        let place = LoginPlace(then: attempt.then), request = try await context.request(place, browser),
            language = context.language(request, browser)
        let events =
            "/login/tiqr/events?attempt=\(attempt.reference)&seen=\(PhoneRequestContext.tag(view.id, view.etag))"
        let step: PhoneNumberPage.Step =
            view.isMatched ? .confirm : view.status == .authenticated ? .last : .first(isMalformed: isMalformed)
        let page = PhoneNumberPage(
            language, isMalformed && step == .last ? .first(isMalformed: true) : step, attempt: attempt.reference,
            formToken: context.formToken(attempt, browser), events: events,
            client: request.map { ClientShown($0.client, in: language) },
            scan: PageLink(label: language.tiqr.number.scan, href: "/login/tiqr?\(place.query)&push=0"),
            alternatives: try await context.alternatives(attempt.account, place, in: language, browser))
        // A page in which somebody types is left alone.
        return browser.html(
            page.html, leadsTo: request.map { [$0.target.redirectURI] } ?? [], watches: step == .confirm)
    }
}
