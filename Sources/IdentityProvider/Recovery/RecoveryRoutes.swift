import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Where links in mail lead, and where one is asked for. A GET shows what the link will do and changes nothing, since
/// programs that look at mail follow links; the form does it, once. Links that are unknown, used, expired or ended are
/// told alike.
enum RecoveryRoutes {
    private static let password = "/recover/password", address = "/recover/address", cut = "/recover/cut"

    /// Without a mail server nobody can ask; links that an operator hands over are good all the same.
    static func endpoints(_ web: WebSide) -> [Endpoint] {
        (web.recovery.queue.isOn ? asking(web) + addresses(web) : []) + passwords(web) + links(web)
    }

    // MARK: Asking

    private static func asking(_ web: WebSide) -> [Endpoint] {
        [
            BrowserRequest.get("/recover", "Forgotten password", web) { browser in
                browser.html(RecoverPage(browser.language, formToken: browser.context.formToken("recover")).html)
            },
            // The same answer, after the same work, whatever was typed.
            BrowserRequest.post(
                "/recover", "Asks for a link that sets a password", web, pace: .login, purpose: { _ in "recover" }
            ) { browser in
                // Who is logged in may be in no hurry either: names can be typed without end.
                if browser.context.session != nil { try web.pace.take(.login, from: browser.context.origin) }
                try await web.recovery.ask(
                    try browser.parameters["name"] ?? "", language: browser.language.rawValue, browser.context)
                let own = browser.language.recovery
                return browser.html(
                    EndingPage(browser.language, own.asked, next: PageLink(label: own.toLogin, href: "/login")).html)
            }.asking("name"),
        ]
    }

    private static func purpose(_ parameters: Vocabulary.OAuthParameters) throws -> String {
        "link \(try parameters.required("link"))"
    }

    private static func token(_ link: String, _ browser: BrowserRequest) -> String {
        browser.context.formToken("link \(link)")
    }

    private static func over(_ browser: BrowserRequest) -> Response {
        let own = browser.language.recovery
        let next =
            browser.web.recovery.queue.isOn
            ? PageLink(label: own.askAgain, href: "/recover") : PageLink(label: own.toLogin, href: "/login")
        return browser.html(EndingPage(browser.language, own.over, next: next).html, status: .notFound)
    }

    // MARK: A new password

    private static func passwords(_ web: WebSide) -> [Endpoint] {
        [
            BrowserRequest.get(password, "Form behind a link that sets a password", web) { browser in
                try await form(try browser.parameters["link"] ?? "", browser)
            }.asking("link"),
            BrowserRequest.post(
                password, "Sets the password, ends all browser sessions", web, pace: .login,
                purpose: { try purpose($0) }
            ) { browser in
                let link = try browser.parameters.required("link"), new = try browser.parameters["new"] ?? ""
                guard new == (try browser.parameters["again"] ?? "") else {
                    return try await form(link, browser, problem: .different)
                }
                do {
                    try await web.recovery.setPassword(link, to: new, browser.context)
                } catch AccountRecovery.Refused.unacceptable(let refusal) {
                    return try await form(link, browser, problem: .init(refusal))
                } catch AccountRecovery.Refused.busy {
                    throw busy
                } catch AccountRecovery.Refused.over {
                    return over(browser)
                }
                let own = browser.language.recovery
                return browser.html(
                    EndingPage(
                        browser.language, own.set, next: PageLink(label: own.toLogin, href: "/login?return_to=/account")
                    ).html)
            }.asking(["link!", "new", "again"], example: EndpointShape.newPassword),
        ]
    }

    private static let busy = OAuthError(
        .temporarilyUnavailable, "many people are logging in; try again in a moment", retryAfter: 2)

    private static func form(
        _ text: String, _ browser: BrowserRequest, problem: PasswordPage.Problem? = nil
    ) async throws -> Response {
        guard let link = try await browser.web.recovery.passwordLink(text) else { return over(browser) }
        return browser.html(
            NewPasswordPage(
                browser.language, isFirst: link.purpose == .invite, username: link.account.username, link: text,
                formToken: token(text, browser), problem: problem
            ).html)
    }

    // MARK: An address

    private static func addresses(_ web: WebSide) -> [Endpoint] {
        let context = RecoveryRequestContext(web: web), page = "/account/email"
        return [
            BrowserRequest.get(page, "Where messages about the account go", web) { browser in
                try await context.changing(LoginPlace(returnTo: page), browser) { session, _ in
                    email(browser, session.account.email ?? "")
                }
            },
            BrowserRequest.post(page, "Sends a link to an address", web, purpose: { _ in "account" }) { browser in
                try await context.changing(LoginPlace(returnTo: page), browser) { session, _ in
                    let text = try browser.parameters.required("email"), own = browser.language.recovery
                    do {
                        try await web.recovery.verify(
                            text, language: browser.language.rawValue, session, browser.context)
                    } catch AccountRecovery.AddressRefused.notAnAddress {
                        return email(browser, text, problem: own.notAnAddress)
                    } catch AccountRecovery.AddressRefused.tooMany(let seconds) {
                        let wait = browser.language.strings.wait.text(seconds: seconds)
                        return email(
                            browser, text, problem: browser.language.own.login.tooMany(wait), status: .tooManyRequests)
                    }
                    return browser.html(
                        EndingPage(
                            browser.language, own.sent, next: PageLink(label: own.toAccount, href: "/account")
                        ).html)
                }
            }.asking("email!"),
        ]
    }

    private static func email(
        _ browser: BrowserRequest, _ text: String, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let token = browser.context.formToken("account")
        return browser.html(
            EmailPage(browser.language, email: text, formToken: token, problem: problem).html, status: status)
    }

    // MARK: Links that do one thing

    private static func links(_ web: WebSide) -> [Endpoint] {
        [
            BrowserRequest.get(address, "What a link to an address confirms", web) { browser in
                let text = try browser.parameters["link"] ?? ""
                guard let link = try await web.recovery.addressLink(text) else { return over(browser) }
                return browser.html(
                    ConfirmPage(
                        browser.language, browser.language.recovery.verify, subject: link.email, account: link.username,
                        action: address, link: text, formToken: token(text, browser)
                    ).html)
            }.asking("link"),
            BrowserRequest.post(
                address, "Confirms that an address is read", web, pace: .login, purpose: { try purpose($0) }
            ) { browser in
                let own = browser.language.recovery
                do {
                    try await web.recovery.confirm(try browser.parameters.required("link"), browser.context)
                } catch AccountRecovery.Refused.over {
                    return over(browser)
                }
                let next = PageLink(label: own.toAccount, href: "/account")
                return browser.html(EndingPage(browser.language, own.verified, next: next).html)
            }.asking("link!"),
            BrowserRequest.get(cut, "What the link of a notice ends", web) { browser in
                let text = try browser.parameters["link"] ?? "", language = browser.language
                guard let cut = try await web.recovery.cut(text) else { return over(browser) }
                let subject = cut.kind.isOfFactor ? cut.subject.map { language.mail.factor($0) } : cut.subject
                return browser.html(
                    ConfirmPage(
                        language, language.recovery.cuts(cut.kind), subject: subject, account: cut.username,
                        action: Self.cut, link: text, formToken: token(text, browser)
                    ).html)
            }.asking("link"),
            BrowserRequest.post(cut, "Ends it", web, pace: .login, purpose: { try purpose($0) }) { browser in
                let own = browser.language.recovery, done: AccountRecovery.Cut
                do {
                    done = try await web.recovery.perform(try browser.parameters.required("link"), browser.context)
                } catch AccountRecovery.Refused.over {
                    return over(browser)
                } catch AccountRecovery.Refused.busy {
                    throw busy
                }
                if done.isSuspended { return browser.html(EndingPage(browser.language, own.cutSuspended).html) }
                let page =
                    done.kind == .device
                    ? EndingPage(
                        browser.language, own.cutDeviceDone,
                        next: PageLink(label: browser.language.own.password.title, href: "/account/password"))
                    : EndingPage(browser.language, own.cutDone)
                return browser.html(page.html)
            }.asking("link!"),
        ]
    }
}

/// Who may change where messages go, and codes: as for other things that one logs in with.
struct RecoveryRequestContext: LoginRequestContext {
    static let login = RecoveryCodes.factor, setup = "recovery-setup"

    let web: WebSide
}
