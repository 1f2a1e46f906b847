import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Passkeys

/// What the pages of logging in by a wallet's code share. An attempt is one browser's; the code that it shows is
/// whoever's sees it.
struct WalletCodeContext: LoginRequestContext {
    /// What attempts are called (`LoginAttempt.method`). Linking a wallet is the business of passkeys.
    static let login = WalletCodeLogin.factor, setup = "wallet-code-setup"

    let codes: WalletCodeLogin
    let web: WebSide

    func loginChange(_ id: String, unlike tag: String) async throws -> WatchedEvents.State {
        try await WalletCodeContext.change(of: id, unlike: tag) { etag in
            let now =
                if let etag { try await codes.wait(id, unlike: etag, within: WatchedEvents.heartbeat) } else {
                    try await codes.state(id)
                }
            return WatchedEvents.State(etag: now.etag, isFinal: now.isFinal)
        }
    }

    /// Whose login it is to be once more, as long as they are logged in here.
    func isOwn(_ attempt: LoginAttempt, _ browser: BrowserRequest) -> Bool {
        attempt.account == nil || attempt.account == browser.context.session?.account.id
    }

    // MARK: Endings

    func message(
        _ message: Strings.Message, _ attempt: LoginAttempt, in language: Language, _ browser: BrowserRequest,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        try await ended(.other(message, reason: nil), attempt, in: language, browser, status: status)
    }

    /// With another code to be had, and the other doors.
    func ended(
        _ ending: PhoneEndingPage.Ending, _ attempt: LoginAttempt, in language: Language, _ browser: BrowserRequest,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let place = LoginPlace(then: attempt.then)
        let next = PhoneEndingPage.Next.again(
            action: WalletCodeRoutes.again, attempt: attempt.reference, formToken: formToken(attempt, browser))
        return self.ending(
            ending, browser, in: language, next: next, password: password(attempt.account, place),
            alternatives: try await alternatives(attempt.account, place, in: language, browser), status: status)
    }

    /// Somebody is logged in who has linked no wallet.
    func unlinked(
        _ person: Account, _ place: LoginPlace, in language: Language, _ browser: BrowserRequest
    ) async throws
        -> Response
    {
        let strings = language.walletCode
        let doors = try await alternatives(person.id, place, in: language, browser)
        let link = LoginAlternative(label: strings.linkOne, href: "/account/passkeys/link")
        return ending(.other(strings.unlinked, reason: nil), browser, in: language, alternatives: doors + [link])
    }
}
