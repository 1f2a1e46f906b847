import Accounts
import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// To a provider and back.
enum UpstreamRoutes {
    static func endpoints(_ context: UpstreamRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(
                "/login/institution/{provider}", "Begins a login at an institution's provider", web, pace: .login
            ) { browser in
                let place = try LoginPlace(browser.parameters)
                return try await begin(place, browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.get(
                "/login/institution/{provider}/callback",
                "What the provider answered (OpenID Connect Core, 3.1.2.5)", web
            ) { browser in
                try await answer(browser, context)
            }.asking("state!", "code", "iss", "error"),
        ]
    }

    private static func begin(
        _ place: LoginPlace, _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> Response {
        guard let provider = try await context.service.open(browser.segment("provider")) else {
            throw OAuthError(.notFound, "there is no such provider")
        }
        let request = try await place.checked(browser)
        var wishes = request?.loginWishes ?? LoginWishes()
        if place.isAgain { wishes = LoginWishes(isAnew: true, levels: wishes.levels) }
        do {
            let url = try await context.flow.begin(
                at: provider, UpstreamRequestContext.login, account: nil, then: place.then, wishes: wishes,
                loginHint: request?.loginHint, browser)
            return browser.remembering(institution: provider.id, browser.redirect(url))
        } catch let refusal as UpstreamRefusal {
            return context.refused(context.service.noted(refusal, provider.id).kind, place, browser)
        }
    }

    private static func answer(
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> Response {
        guard let attempt = try await context.attempt(try browser.parameters.required("state"), browser) else {
            return context.gone(browser)
        }
        let place = LoginPlace(then: attempt.then), id = browser.segment("provider")
        do {
            guard let provider = try await context.service.open(id) else {
                throw UpstreamRefusal.invalid("no such provider")
            }
            let person = try await context.flow.answer(attempt, at: provider, browser.parameters)
            if attempt.method == UpstreamRequestContext.setup {
                return try await LinkRoutes.returned(person, at: provider, attempt, browser, context)
            }
            return try await logIn(person, at: provider, attempt, place, browser, context)
        } catch let refusal as UpstreamRefusal {
            try await context.drop(attempt)
            return context.refused(context.service.noted(refusal, id).kind, place, browser)
        }
    }

    private static func logIn(
        _ person: UpstreamPerson, at provider: UpstreamProvider, _ attempt: LoginAttempt, _ place: LoginPlace,
        _ browser: BrowserRequest, _ context: UpstreamRequestContext
    ) async throws -> Response {
        let found = try await context.service.linking.find(
            person, at: provider, context.actor(browser), telling: context.web.recovery.notices,
            in: context.service.database)
        guard case .link(let link) = found else {
            try await context.drop(attempt)
            return try await LinkRoutes.wait(person, at: provider, attempt.then, browser, context)
        }
        do {
            let cookie = try await context.flow.complete(link, person, at: provider, using: attempt, browser)
            guard let cookie else { return context.gone(browser) }
            return browser.redirect(context.web.issuer + attempt.then, session: cookie, by: LoginElsewhere.way)
        } catch is BrowserLogin.Incomplete {
            throw UpstreamRefusal(kind: .suspended, check: "the account may not log in")
        }
    }
}
