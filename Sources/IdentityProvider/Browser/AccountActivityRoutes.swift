import Accounts
import Base
import Federation
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Pages of what happened at the account and of who was told something, and the forms that end branches of its tree.
enum AccountActivityRoutes {
    /// `houses`: services whose tokens stand in this server's own tables.
    static func endpoints(_ web: WebSide, _ houses: Set<String>) -> [Endpoint] {
        [
            BrowserRequest.revoke("/account/branches/end", "Ends one branch of the tree", web, .branchEnded) {
                browser, session in
                try await web.tree.end(
                    try browser.parameters.required("branch"), by: Owner(session, browser.context), houses: houses)
            }.asking("branch!"),
            BrowserRequest.revoke("/account/services/end", "Ends a service wherever it was opened", web, .branchEnded) {
                browser, session in
                try await web.tree.endEverywhere(
                    try browser.parameters.required("branch"), by: Owner(session, browser.context), houses: houses)
            }.asking("branch!"),
            BrowserRequest.revoke("/account/others/end", "Ends all phones, or all other browsers", web, .othersEnded) {
                browser, session in
                guard let kind = AccountNode.Kind(rawValue: try browser.parameters.required("kind")),
                    [.instance, .browser].contains(kind)
                else { throw OAuthError(.invalidRequest, "kind must be instance or browser") }
                try await web.tree.endOthers(kind, by: Owner(session, browser.context))
            }.asking("kind!:=instance|browser"),
            BrowserRequest.revoke("/account/told/empty", "Forgets who was told something", web, .toldEmptied) {
                browser, session in
                try await web.tree.forgetTold(Owner(session, browser.context))
            },
            BrowserRequest.revoke("/account/used/empty", "Forgets what services the person used", web, .usedEmptied) {
                browser, session in
                try await web.tree.forgetUsed(Owner(session, browser.context))
            },
            page("/account/told", "Who was told something about the person", web) { browser, session in
                let told = try await web.tree.told(session.account.id)
                let readers = told.map { told, by in
                    ToldPage.Reader(
                        title: told.serviceName ?? told.service ?? by ?? told.client,
                        host: told.base.flatMap { WebAddress($0)?.host }, claims: told.claims ?? [],
                        through: told.service == nil ? nil : by, loginAt: told.loginAt, methods: told.methods,
                        first: told.firstAt, last: told.lastAt)
                }
                let used = try await web.tree.used(session.account.id).map {
                    ToldPage.Service(name: $0.name, host: WebAddress($0.base)?.host, last: $0.lastUsed)
                }
                return browser.html(
                    ToldPage(browser.language, readers, used: used, formToken: browser.context.formToken("account"))
                        .html)
            },
            page("/account/activity", "What happened at the account of late", web) { browser, session in
                let entries = try await web.activity.list(session.account.id)
                return browser.html(ActivityPage(browser.language, entries).html, hasForm: false)
            },
            page("/account/activity/not-me", "What to do about what somebody else did", web) { browser, session in
                let account = session.account.id
                let entry = try await web.activity.find(try browser.parameters.required("event"), of: account)
                let cut = try await web.activity.cut(entry, of: account)
                let isCurrent = if case .browser(session.id, _)? = cut { true } else { false }
                return browser.html(
                    NotMePage(
                        browser.language, entry, cut: cut, isCurrent: isCurrent,
                        formToken: browser.context.formToken("account")
                    ).html)
            }.asking("event!"),
        ]
    }

    /// For who is logged in; everybody else logs in and comes back.
    private static func page(
        _ path: String, _ summary: String, _ web: WebSide,
        _ body: @escaping @Sendable (BrowserRequest, BrowserSession) async throws -> Response
    ) -> Endpoint {
        BrowserRequest.get(path, summary, web) { browser in
            guard let session = browser.context.session else {
                return browser.redirect("\(web.issuer)/login?return_to=/account")
            }
            if let detour = try await web.detour(session, to: "/account") { return browser.redirect(detour) }
            return try await body(browser, session)
        }
    }
}
