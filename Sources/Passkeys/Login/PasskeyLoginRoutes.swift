import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Logging in with a passkey: without a name, from the login page or the page here; or as second factor and step-up of
/// who is logged in. The script asks for a question, which opens an attempt; the form with the answer completes it.
enum PasskeyLoginRoutes {
    static func endpoints(_ context: PasskeyRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get("/login/passkey", "Asks for a passkey", web) { browser in
                let place = try LoginPlace(browser.parameters)
                return try await page(place, try await place.checked(browser), browser, context)
            }.asking(LoginPlace.members + ["own"]),
            BrowserRequest.post(
                "/login/passkey/options", "What a passkey is asked (WebAuthn, 5.1.4)", web, pace: .login,
                purpose: { try LoginPlace($0).purpose }
            ) { browser in
                try await context.asking { try await options(browser, context) }
            }.telling(.passkeyAsked("PasskeyLoginAsked", atLogin: true)),
            BrowserRequest.post(
                "/login/passkey", "What a passkey answered", web, purpose: { try LoginPlace($0).purpose }
            ) { browser in
                try await finish(browser, context)
            }.telling(.passkeyAnswered("PasskeyLoginForm", atLogin: true)),
        ]
    }

    // MARK: Asking

    /// A page that asks anew goes on with its attempt. Whoever is logged in and asked is asked for a passkey of theirs;
    /// the list of these is for nobody else. Where their account takes none of a wallet's, none is asked for.
    private static func options(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> JSONObject
    {
        let place = try LoginPlace(browser.parameters),
            person = try browser.parameters["own"] == nil ? nil : browser.context.session?.account, asked = person?.id
        let isStrict =
            if let person, person.requiredFactor == .passkey {
                try await context.login.passkeys(of: person.id).contains { $0.flow == .idp }
            } else { false }
        let attempt =
            if let before = try await renewed(place, asked, browser, context) { before } else {
                try await context.web.attempts.open(
                    PasskeyRequestContext.login, subject: PasskeyRequestContext.login, account: asked, then: place.then,
                    browser: browser.context.browser)
            }
        let options = try await context.login.requestOptions(
            for: asked, only: isStrict ? .idp : nil, holder: context.holder(attempt, browser))
        return ["attempt": .string(attempt.reference), "options": options]
    }

    private static func renewed(
        _ place: LoginPlace, _ asked: UUID?, _ browser: BrowserRequest, _ context: PasskeyRequestContext
    ) async throws -> LoginAttempt? {
        guard try browser.parameters["attempt"] != nil,
            let before = try await context.attempt(PasskeyRequestContext.login, browser), before.then == place.then,
            before.account == asked,
            try await context.web.attempts.replace(before, subject: before.subject, account: asked)
        else { return nil }
        return before
    }

    private static func page(
        _ place: LoginPlace, _ request: AuthorizationParameters?, _ browser: BrowserRequest,
        _ context: PasskeyRequestContext,
        problem: PasskeyProblem? = nil
    ) async throws -> Response {
        let person = browser.context.session?.account.id, language = context.language(request, browser)
        let hasNone = if let person { try await context.login.passkeys(of: person).isEmpty } else { false }
        let token = browser.context.formToken(place.purpose),
            doors = try await context.alternatives(person, place, in: language, browser)
        let isOnly = person != nil && !hasNone && doors.isEmpty
        let form = PasskeyForm.login(
            language, .get, formToken: token, reference: place.reference, returnTo: place.returnTo,
            isOwn: person != nil, isOnly: isOnly)
        let page = PasskeyPage(
            language, client: request.map { ClientShown($0.client, in: language) }, form: hasNone ? nil : form,
            problem: problem,
            setUp: hasNone ? place.onward(AccountPasskeyRoutes.add) : nil, password: context.password(person, place),
            alternatives: doors, isOnly: isOnly)
        return browser.html(
            page.html, status: problem == .notAllowed ? .forbidden : .ok,
            leadsTo: request.map { [$0.target.redirectURI] } ?? [],
            asksPasskey: !hasNone)
    }

    // MARK: Answering

    private static func finish(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> Response {
        let place = try LoginPlace(browser.parameters)
        let problem: PasskeyProblem
        do {
            guard let answer = try context.answer(browser) else {
                return browser.redirect("\(context.web.issuer)/login/passkey?\(place.query)")
            }
            guard try browser.parameters["attempt"] != nil,
                let attempt = try await context.attempt(PasskeyRequestContext.login, browser)
            else {
                throw PasskeyRefusal.challengeUnknown
            }
            let found = try await context.login.answer(
                answer, holder: context.holder(attempt, browser), actor: context.actor(browser))
            let factor = found.passkey.flow.factor
            let cookie = try await context.web.login.complete(
                found.account, by: factor, methods: found.methods, using: attempt, browser.context
            ) {
                try await context.login.isStanding(found.passkey, of: found.account, in: $0)
            }
            guard let cookie else { throw PasskeyRefusal.challengeUnknown }
            return browser.redirect(context.web.issuer + attempt.then, session: cookie, by: factor)
        } catch let refusal as PasskeyRefusal {
            problem = PasskeyProblem(context.login.noted(refusal, "login"))
        } catch let why as BrowserLogin.Incomplete {
            problem = PasskeyProblem(why)
        }
        return try await page(place, try await place.checked(browser), browser, context, problem: problem)
    }
}
