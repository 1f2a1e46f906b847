import Accounts
import Administration
import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import TokenTree
import Vocabulary

/// A request to a page of the console, by somebody who has a role; to some, by anybody who is logged in.
struct ConsoleRequest: Sendable {
    let context: ConsoleContext
    let browser: BrowserRequest
    let person: BrowserSession
    /// By the person, with what their roles let them do, read for this request.
    let admin: AdminSession

    typealias Body = @Sendable (ConsoleRequest) async throws -> Response

    var language: Language { browser.language }
    var words: SharedStrings<ConsoleStrings> { browser.language.console }

    /// What every form of the console is for: its token is the browser's and the person's, never another page's.
    static let purpose = "console"

    var formToken: String { browser.context.formToken(ConsoleRequest.purpose) }

    /// A page. Who is not logged in does that first and comes back; who has no role is told so. `back` is the page to
    /// come back to, with what it needs of its query.
    static func get(
        _ path: String, _ summary: String, _ context: ConsoleContext, isForAnybody: Bool = false,
        back: @escaping @Sendable (BrowserRequest) -> String = { _ in "" }, _ body: @escaping Body
    ) -> Endpoint {
        BrowserRequest.get(path, summary, context.web) { browser in
            try await answer(browser, context, isForAnybody, back: path + back(browser), body)
        }
    }

    /// A form of the console.
    static func post(
        _ path: String, _ summary: String, _ context: ConsoleContext, isForAnybody: Bool = false,
        _ body: @escaping Body
    ) -> Endpoint {
        BrowserRequest.post(path, summary, context.web, purpose: { _ in purpose }) { browser in
            try await answer(browser, context, isForAnybody, back: path, body)
        }
    }

    private static func answer(
        _ browser: BrowserRequest, _ context: ConsoleContext, _ isForAnybody: Bool, back: String, _ body: Body
    ) async throws -> Response {
        let web = context.web
        guard let person = browser.context.session else {
            return browser.redirect("\(web.issuer)/login?\(LoginPlace(naming: back).query)")
        }
        if let detour = try await web.detour(person, to: back) { return browser.redirect(detour) }
        let actor = AuditActor(
            name: "account:\(person.account.id.uuidString.lowercased())", origin: browser.context.origin)
        let account = person.account.id
        let stranger = context.open(actor, AdminAuthority([], of: account, authenticatedAt: nil))
        let grants = try await RoleStore(clock: stranger.clock).grants(of: account, in: stranger.executor)
        guard isForAnybody || !grants.isEmpty else {
            return browser.html(NoRolePage(browser.language, PersonShown(person.account)).html, status: .forbidden)
        }
        let authority = AdminAuthority(grants, of: account, authenticatedAt: person.history.latest)
        let admin = context.open(actor, authority)
        let request = ConsoleRequest(context: context, browser: browser, person: person, admin: admin)
        do {
            return try await body(request)
        } catch let failure as AdminFailure {
            throw failure.refusal
        }
    }

    /// The same, with why: it stands in the audit trail beside what is done.
    func because(_ reason: String?) -> AdminSession {
        guard let reason else { return admin }
        return context.open(admin.actor.because(reason), admin.authority)
    }

    /// Runs a command of the catalog as this person. Throws `AdminFailure`.
    func run(_ words: [String], _ arguments: JSONObject = [:]) async throws -> AdminResult {
        guard let entry = context.catalog.entry(words) else {
            throw AdminFailure(.notFound, "there is no command \(words.joined(separator: " "))")
        }
        return try await context.catalog.run(entry, arguments, in: admin)
    }

    /// Whether it has a page for them, for menus, which name nothing.
    func mayOpen(_ words: [String]) -> Bool {
        context.catalog.entry(words).map { AdminPermissions.mayOpen($0, admin.authority) } ?? false
    }

    func permits(_ words: [String], _ arguments: JSONObject = [:]) async throws -> Bool {
        guard let entry = context.catalog.entry(words) else { return false }
        return try await context.catalog.permits(entry, arguments, in: admin)
    }
}

extension AdminFailure {
    /// As a page of its own, where there is no form that it could stand at.
    var refusal: OAuthError {
        let text = description + (hint.map { "; \($0)" } ?? "")
        return switch code {
        case .notFound: OAuthError(.notFound, text)
        case .forbidden: OAuthError(.forbidden, text)
        case .unavailable: OAuthError(.temporarilyUnavailable, description, retryAfter: 2)
        case .failed: OAuthError(.serverError, "something went wrong on this server; it has been logged", cause: text)
        default: OAuthError(.invalidRequest, text)
        }
    }
}
