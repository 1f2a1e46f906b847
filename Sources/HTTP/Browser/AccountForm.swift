import Accounts
import Hummingbird
import OAuth
import Pages

extension BrowserRequest {
    /// A form of the account page that ends something of the person's: always, however long ago they logged in.
    public static func revoke(
        _ path: String, _ summary: String, _ web: WebSide, _ notice: AccountNotice,
        _ body: @escaping @Sendable (BrowserRequest, BrowserSession) async throws -> Void
    ) -> Endpoint {
        BrowserRequest.post(path, summary, web, purpose: { _ in "account" }) { browser in
            guard let session = browser.context.session else {
                return browser.redirect("\(web.issuer)/login?return_to=/account")
            }
            if let detour = try await web.detour(session, to: "/account") { return browser.redirect(detour) }
            try await body(browser, session)
            return browser.redirect("\(web.issuer)/account?done=\(notice.word)")
        }
    }
}
