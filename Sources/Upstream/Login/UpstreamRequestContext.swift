import Accounts
import Base
import HTTP
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// What the pages of this room share.
struct UpstreamRequestContext: LoginRequestContext {
    /// What attempts are called: to log in; to link who is logged in; and of somebody who is not known here yet, and
    /// logs in with their password first.
    static let login = AuthenticationHistory.upstream, setup = "upstream-link", waiting = "upstream-waiting"

    let service: UpstreamService
    let web: WebSide

    var flow: UpstreamLogin { UpstreamLogin(service: service, web: web) }

    /// Why somebody was not logged in, and where to go on.
    func refused(_ kind: UpstreamRefusal.Kind, _ place: LoginPlace, _ browser: BrowserRequest) -> Response {
        let page = RefusedPage(
            browser.language, kind, again: "/login/institution?\(place.query)", password: "/login?\(place.query)&here=1"
        )
        let status: HTTPResponse.Status =
            switch kind {
            case .unreachable: .serviceUnavailable
            case .declined, .stale: .ok
            case .invalid, .taken, .foreign, .suspended: .forbidden
            }
        var response = browser.html(page.html, status: status)
        if kind == .unreachable { response.headers[.retryAfter] = "30" }
        return response
    }

    /// The attempt that an answer belongs to, whichever of both it is.
    func attempt(_ state: String, _ browser: BrowserRequest) async throws -> LoginAttempt? {
        for method in [Self.login, Self.setup] {
            let found = try await web.attempts.find(state, method: method, browser: browser.context.browser)
            if let found { return found }
        }
        return nil
    }

    /// Nobody uses it any more.
    func drop(_ attempt: LoginAttempt) async throws { _ = try await web.attempts.use(attempt, in: service.database) }
}
