import Accounts
import Base
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import Tiqr
import TokenTree
import Vocabulary

/// What the pages of logging in with a phone share. The id of an authentication or enrollment stays here: the browser knows its attempt, which is bound to its cookie.
struct PhoneDesk: Sendable {
    /// What attempts are called (`LoginAttempt.method`).
    static let login = "tiqr", setup = "tiqr-enrollment"

    let house: HouseLogin
    let web: WebSide

    static func purpose(_ parameters: Vocabulary.Parameters) throws -> String { "tiqr \(try parameters.required("attempt"))" }

    func formToken(_ attempt: LoginAttempt, _ browser: BrowserRequest) -> String { browser.visitor.formToken("tiqr \(attempt.reference)") }

    /// `nil`: unknown, over, or another browser's.
    func attempt(_ method: String, _ browser: BrowserRequest) async throws -> LoginAttempt? {
        try await web.attempts.find(try browser.parameters.required("attempt"), method: method, browser: browser.visitor.browser)
    }

    /// `nil` once it has been tidied away.
    func state(_ id: String) async throws -> AuthenticationView? {
        do { return try await house.state(id) } catch TiqrRefusal.notFound { return nil }
    }

    /// Phones that can be asked.
    func enrolled(_ account: Account?) async throws -> [TiqrIdentity] {
        guard let account else { return [] }
        return try await house.phones(of: account.id).filter { $0.lastLoginAt != nil }
    }

    func actor(_ browser: BrowserRequest) -> Actor {
        let visitor = browser.visitor
        return Actor(name: visitor.session.map { "account:\($0.account.id.uuidString.lowercased())" } ?? visitor.client, origin: visitor.origin)
    }

    /// Asks a phone of the person who is logged in, or whichever answers. The phone rings only where this browser logged this person in with two factors before.
    func ask(_ phone: TiqrIdentity?, _ request: AuthorizationParameters?, _ browser: BrowserRequest) async throws -> StartedAuthentication {
        let account = phone == nil ? nil : browser.visitor.session?.account.id
        let name = request.map { $0.client.metadata.name(in: [language($0, browser).rawValue]) ?? $0.client.name }
        var push = false
        if let phone, let account, phone.push { push = try await web.pushes.take(client: browser.visitor.client, account: account) }
        return try await house.begin(account, phone: phone?.identity, to: name, push: push, actor: actor(browser))
    }

    // MARK: Pages

    /// The request that an attempt is for, if it still waits.
    func request(_ place: LoginPlace, _ browser: BrowserRequest) async throws -> AuthorizationParameters? {
        do { return try await place.checked(browser) } catch is AuthorizationRefusal { return nil }
    }

    func language(_ request: AuthorizationParameters?, _ browser: BrowserRequest) -> Language {
        request?.uiLocales.map { Language(accepting: browser.language.rawValue, uiLocales: $0) } ?? browser.language
    }

    /// The person's other phones, by their place in the list: an identity has no business in an address.
    func others(than phone: String?, among phones: [TiqrIdentity], _ place: LoginPlace) -> [(phone: LoginPhone, href: String)] {
        phones.enumerated().filter { $0.element.identity != phone && $0.element.status != .blocked }
            .map { (phone: LoginPhone($0.element), href: "/login/tiqr?\(place.query)&phone=\($0.offset)") }
    }

    func ending(_ ending: PhoneEndingPage.Ending, _ browser: BrowserRequest, in language: Language? = nil, next: PhoneEndingPage.Next = .nothing,
                others: [(phone: LoginPhone, href: String)] = [], password: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        browser.html(PhoneEndingPage(language ?? browser.language, ending, next: next, others: others, password: password).html, status: status)
    }

    /// The same for an attempt that never was, that was used, and that is another browser's.
    func gone(_ browser: BrowserRequest) -> Response { ending(.gone, browser, status: .notFound) }

    // MARK: The end

    /// Completes a login whose phone has answered, once, and leads on. The phone must still be its person's; where somebody was asked, it must be them, and they
    /// must still be logged in here.
    func finish(_ attempt: LoginAttempt, _ view: AuthenticationView, again: String, _ browser: BrowserRequest) async throws -> Response {
        let next = PhoneEndingPage.Next.again(action: again, attempt: attempt.reference, formToken: formToken(attempt, browser))
        guard let person = try await house.standing(view) else { return ending(.refused, browser, next: next, status: .forbidden) }
        if let asked = attempt.account {
            guard asked == person else { return ending(.wrongPhone, browser, next: next, status: .forbidden) }
            guard browser.visitor.session?.account.id == asked else { return browser.redirect(web.issuer + attempt.then) }
        }
        do {
            guard let cookie = try await web.login.complete(person, methods: house.methods(view), using: attempt, browser.visitor) else { return gone(browser) }
            return browser.redirect(web.issuer + attempt.then, session: cookie)
        } catch let refusal as OAuthError where refusal.code == .accessDenied {
            return ending(.refused, browser, status: .forbidden)
        }
    }

    // MARK: Events

    /// The state of a thing as pages and events name it. Another thing in its place has other tags, so that a page with an old code is not taken for a new one.
    static func tag(_ id: String, _ etag: String) -> String { mark(id) + etag }

    private static func mark(_ id: String) -> String { Base64URL.encode(Digest.sha256("tag \(id)").prefix(6)) + "." }

    /// Waits for a state of `id` unlike `tag`; does not wait where that is of another thing.
    func change(of id: String, unlike tag: String, now: (_ id: String) async throws -> any WatchedState,
                later: (_ id: String, _ etag: String) async throws -> any WatchedState) async throws -> WatchedEvents.State {
        let mark = PhoneDesk.mark(id)
        do {
            let state = try await tag.hasPrefix(mark) ? later(id, String(tag.dropFirst(mark.count))) : now(id)
            return WatchedEvents.State(etag: PhoneDesk.tag(id, state.etag), isFinal: state.isFinal)
        } catch TiqrRefusal.notFound {
            return PhoneDesk.over
        }
    }

    func loginChange(_ id: String, unlike tag: String) async throws -> WatchedEvents.State {
        try await change(of: id, unlike: tag, now: { try await house.state($0) }, later: { try await house.wait($0, unlike: $1, within: WatchedEvents.heartbeat) })
    }

    static let over = WatchedEvents.State(etag: "over", isFinal: true)
}

extension LoginPhone {
    init(_ phone: TiqrIdentity) { self.init(id: phone.identity, since: phone.createdAt, lastUsed: phone.lastLoginAt, isBlocked: phone.status == .blocked) }
}
