import Accounts
import Base
import Database
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Setting up and removing what one logs in with, as far as it is the same whatever it is: who may, where an attempt is
/// from and where it leads to.
extension LoginRequestContext {
    /// What somebody does at `page` of their account: for a request that waits for it, or else for the page itself.
    public func place(_ page: String, _ browser: BrowserRequest) throws -> LoginPlace {
        let asked = try LoginPlace(browser.parameters)
        return asked.reference == nil ? LoginPlace(returnTo: page) : asked
    }

    /// `body` for who may change what they log in with (`detour`); everybody else goes where they may first, and from
    /// there to `place`.
    public func changing(
        _ place: LoginPlace, _ browser: BrowserRequest,
        _ body: (BrowserSession, AuthorizationParameters?) async throws -> Response
    ) async throws -> Response {
        guard let session = browser.context.session else {
            return browser.redirect("\(web.issuer)/login?\(place.query)")
        }
        let request = try await place.checked(browser)
        if let first = try await detour(session, to: place) { return browser.redirect(first) }
        return try await body(session, request)
    }

    /// An attempt to set one up, which leads on to the request that waits for it, or else to the account page, with a
    /// word about it.
    public func openSetup(
        _ subject: String, of account: Account, for place: LoginPlace, _ browser: BrowserRequest
    ) async throws -> LoginAttempt {
        let then = place.reference == nil ? "/account?done=\(AccountNotice.phoneAdded.word)" : place.then
        return try await web.attempts.open(
            Self.setup, subject: subject, account: account.id, then: then, browser: browser.context.browser)
    }

    /// The attempt of who is logged in to set one up, `nil` as for `own`.
    public func ownSetup(_ browser: BrowserRequest) async throws -> LoginAttempt? { try await own(Self.setup, browser) }

    /// Its event stream, as long as it is theirs.
    public func setupEvents(
        _ browser: BrowserRequest,
        _ change: @escaping @Sendable (_ subject: String, _ tag: String) async throws -> WatchedEvents.State
    ) async throws -> Response {
        try await events(browser, of: { try await ownSetup(browser) }, change)
    }

    /// Takes away the one that the form names by `body`, whose error of the kind `isKept` says that the account needs
    /// it: `isLast` of `WebSide.changeFactor`.
    public func remove(
        _ browser: BrowserRequest, isKept: (any Error) -> Bool,
        _ body: (_ phone: String, _ account: Account, _ isLast: Bool, any SQLExecutor) async throws -> Void
    ) async throws -> Response {
        try await changing(LoginPlace(returnTo: "/account"), browser) { session, _ in
            let phone = try browser.parameters.required("phone"), account = session.account
            var notice = AccountNotice.phoneRemoved
            do {
                try await web.changeFactor(Self.login, browser.context) { isLast, transaction in
                    try await body(phone, account, isLast, transaction)
                }
            } catch  where isKept(error) {
                notice = .phoneKept
            }
            return browser.redirect("\(web.issuer)/account?done=\(notice.word)")
        }
    }
}

extension LoginPlace {
    /// A page of ours that comes back here; where here is the page itself, as it is.
    public func onward(_ page: String) -> String { reference == nil ? page : "\(page)?\(query)" }
}
