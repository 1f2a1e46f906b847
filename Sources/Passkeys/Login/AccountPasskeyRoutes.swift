import Accounts
import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// A person's passkeys: setting one up, linking a wallet's, naming and removing them. Who may:
/// `LoginRequestContext.detour`, asked again when the answer comes.
///
/// A new passkey has signed nothing yet, so it raises nobody's session: where it is due it is asked next.
enum AccountPasskeyRoutes {
    static let add = "/account/passkeys/add"
    private static let link = "/account/passkeys/link", name = "/account/passkeys/name"

    static func endpoints(_ context: PasskeyRequestContext) -> [Endpoint] {
        let web = context.web
        return [
            BrowserRequest.get(add, "How to set up a passkey", web) { browser in try await page(.add, browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.post(
                "\(add)/options", "What a new passkey is asked (WebAuthn, 5.1.3)", web, purpose: { _ in "passkeys" }
            ) { browser in
                try await asking(add, browser, context) {
                    try await context.login.creationOptions(for: $0.account, holder: context.holder("add", $0, browser))
                }
            }.telling(.passkeyAsked("PasskeySetupAsked", atLogin: false)),
            BrowserRequest.post(add, "Sets up a passkey", web, purpose: { _ in "passkeys" }) { browser in
                try await register(browser, context)
            }.telling(.passkeyAnswered("PasskeySetupForm", atLogin: false)),
            BrowserRequest.get(link, "How to link a wallet's passkey", web) { browser in
                try await page(.link, browser, context)
            }.asking(LoginPlace.members),
            BrowserRequest.post(
                "\(link)/options", "What a wallet's passkey is asked", web, purpose: { _ in "passkeys" }
            ) { browser in
                try await asking(link, browser, context) {
                    try await context.login.linkOptions(for: $0.account.id, holder: context.holder("link", $0, browser))
                }
            }.telling(.passkeyAsked("PasskeyQuestion", atLogin: false)),
            BrowserRequest.post(link, "Links a wallet's passkey", web, purpose: { _ in "passkeys" }) { browser in
                try await linkWallet(browser, context)
            }.telling(.passkeyAnswered("PasskeyLinkForm", atLogin: false)),
            BrowserRequest.get(name, "What a passkey is called", web) { browser in
                try await context.changing(try naming(browser), browser) { session, _ in
                    let id = try browser.parameters.required("passkey")
                    guard
                        let passkey = try await context.login.passkeys(of: session.account.id).first(where: {
                            $0.text == id
                        })
                    else { throw foreign }
                    return browser.html(
                        PasskeyNamePage(
                            browser.language, id: id, name: passkey.name,
                            formToken: browser.context.formToken("passkeys")
                        ).html)
                }
            }.asking("passkey!"),
            BrowserRequest.post(name, "Names a passkey", web, purpose: { _ in "passkeys" }) { browser in
                try await rename(browser, context)
            }.asking(["passkey!", "name"], example: ["name": "Pixel 8"]),
            BrowserRequest.post("/account/passkeys/remove", "Removes a passkey", web, purpose: { _ in "account" }) {
                browser in try await remove(browser, context)
            }.asking("passkey!"),
        ]
    }

    private static let foreign = OAuthError(.notFound, "there is no such passkey of yours")

    private static func account(_ notice: AccountNotice, _ context: PasskeyRequestContext) -> String {
        "\(context.web.issuer)/account?done=\(notice.word)"
    }

    // MARK: Asking

    private static func page(
        _ step: PasskeySetupPage.Step, _ browser: BrowserRequest, _ context: PasskeyRequestContext,
        problem: PasskeyProblem? = nil
    ) async throws -> Response {
        let place = try context.place(step == .add ? add : link, browser)
        return try await context.changing(place, browser) { session, request in
            let isFull = try await context.login.passkeys(of: session.account.id).count >= PasskeyLogin.mostPasskeys
            let page = PasskeySetupPage(
                context.language(request, browser), step, formToken: browser.context.formToken("passkeys"),
                reference: place.reference,
                isNeeded: try await context.web.isDue(PasskeyRequestContext.login, of: session.account),
                problem: problem ?? (isFull ? .tooMany : nil),
                wallets: step == .add ? place.onward(link) : nil, phone: phone(place, session, context))
            return browser.html(page.html, leadsTo: request.map { [$0.target.redirectURI] } ?? [], asksPasskey: true)
        }
    }

    /// Not to who needs a passkey: a phone would be of no use.
    private static func phone(
        _ place: LoginPlace, _ session: BrowserSession, _ context: PasskeyRequestContext
    ) -> String? {
        session.account.requiredFactor == .passkey ? nil : context.otherSetup(place)
    }

    /// Who may not any more hears it as JSON, and finds where to go from the form that the script sends then.
    private static func asking(
        _ page: String, _ browser: BrowserRequest, _ context: PasskeyRequestContext,
        _ question: (BrowserSession) async throws -> JSONValue
    ) async throws -> Response {
        guard let session = browser.context.session,
            try await context.detour(session, to: try context.place(page, browser)) == nil
        else {
            throw OAuthError(.unmetAuthentication, "log in again first")
        }
        return try await context.asking { ["options": try await question(session)] }
    }

    // MARK: Answering

    private static func register(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> Response {
        try await answered(.add, browser, context) { answer, session in
            let passkey = try await context.login.register(
                answer, as: try browser.parameters["name"], for: session.account.id, below: session.lineage,
                holder: context.holder("add", session, browser), actor: context.actor(browser))
            try await context.web.recovery.factorAdded(passkey.flow.factor, id: passkey.text, to: session.account)
            // What the browser says of it (credProps, WebAuthn, 10.1.3), for words alone: nobody signs it.
            return answer["clientExtensionResults"]?["credProps"]?["rk"] == .bool(false)
                ? .passkeyAddedByName : .passkeyAdded
        }
    }

    private static func linkWallet(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> Response
    {
        try await answered(.link, browser, context) { answer, session in
            let passkey = try await context.login.link(
                answer, to: session.account.id, below: session.lineage,
                holder: context.holder("link", session, browser),
                actor: context.actor(browser))
            try await context.web.recovery.factorAdded(passkey.flow.factor, id: passkey.text, to: session.account)
            return .passkeyLinked
        }
    }

    /// On to the request that waits for it, or to the account page with a word about it; without an answer, or with one
    /// that is refused, to the page that asks.
    private static func answered(
        _ step: PasskeySetupPage.Step, _ browser: BrowserRequest, _ context: PasskeyRequestContext,
        _ body: (JSONValue, BrowserSession) async throws -> AccountNotice
    ) async throws -> Response {
        let here = step == .add ? add : link, place = try context.place(here, browser)
        return try await context.changing(place, browser) { session, _ in
            let notice: AccountNotice
            do {
                guard let answer = try context.answer(browser) else {
                    return browser.redirect(context.web.issuer + place.onward(here))
                }
                notice = try await body(answer, session)
            } catch let refusal as PasskeyRefusal {
                return try await page(
                    step, browser, context,
                    problem: PasskeyProblem(context.login.noted(refusal, step == .add ? "register" : "link")))
            }
            guard place.reference == nil else { return browser.redirect(context.web.issuer + place.then) }
            return browser.redirect(account(notice, context))
        }
    }

    // MARK: Naming and removing

    /// The page that asks what a passkey shall be called.
    private static func naming(_ browser: BrowserRequest) throws -> LoginPlace {
        let id = try browser.parameters["passkey"] ?? ""
        return LoginPlace(naming: "\(name)?passkey=\(id)")
    }

    private static func rename(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> Response {
        try await context.changing(try naming(browser), browser) { session, _ in
            do {
                try await context.login.rename(
                    try browser.parameters.required("passkey"), of: session.account.id,
                    to: try browser.parameters["name"] ?? "",
                    actor: context.actor(browser))
            } catch PasskeyRefusal.notFound {
                throw foreign
            }
            return browser.redirect(account(.passkeyRenamed, context))
        }
    }

    /// The last one stays where the account asks for one. A wallet's is unlinked, and goes on being the wallet's.
    private static func remove(_ browser: BrowserRequest, _ context: PasskeyRequestContext) async throws -> Response {
        try await context.changing(LoginPlace(returnTo: "/account"), browser) { session, _ in
            let id = try browser.parameters.required("passkey"), person = session.account.id
            guard let flow = try await context.login.passkeys(of: person).first(where: { $0.text == id })?.flow else {
                throw foreign
            }
            do {
                try await context.web.changeFactor(flow.factor, browser.context) { isLast, transaction in
                    try await context.login.remove(
                        id, of: person, only: flow, keepingOne: isLast, actor: context.actor(browser), in: transaction)
                }
            } catch PasskeyRefusal.last {
                return browser.redirect(account(.passkeyKept, context))
            } catch PasskeyRefusal.notFound {
                throw foreign
            }
            return browser.redirect(account(flow == .idp ? .passkeyRemoved : .passkeyUnlinked, context))
        }
    }
}
