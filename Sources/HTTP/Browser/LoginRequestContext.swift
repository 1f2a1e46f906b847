import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Hummingbird
import OAuth
import Pages
import TokenTree
import Vocabulary

/// What the pages of all logins share that take their time: by scanning, by approving, with a passkey: one
/// context for each. The browser knows its attempt, which is bound to its cookie; what is under way at the product
/// behind it stays here.
public protocol LoginRequestContext: Sendable {
    /// The factor's name (`SecondFactor.name`): what its attempts are called, and what forms of its pages are for.
    static var login: String { get }
    /// What attempts to set one up are called.
    static var setup: String { get }

    var web: WebSide { get }
}

extension LoginRequestContext {
    public static func purpose(_ parameters: Vocabulary.OAuthParameters) throws -> String {
        "\(login) \(try parameters.required("attempt"))"
    }

    public func formToken(_ attempt: LoginAttempt, _ browser: BrowserRequest) -> String {
        browser.context.formToken("\(Self.login) \(attempt.reference)")
    }

    /// `nil`: unknown, over, or another browser's.
    public func attempt(_ method: String, _ browser: BrowserRequest) async throws -> LoginAttempt? {
        try await web.attempts.find(
            try browser.parameters.required("attempt"), method: method, browser: browser.context.browser)
    }

    /// Of this browser, and of who is logged in.
    public func own(_ method: String, _ browser: BrowserRequest) async throws -> LoginAttempt? {
        guard let attempt = try await attempt(method, browser), let person = browser.context.session?.account.id,
            attempt.account == person
        else { return nil }
        return attempt
    }

    public func actor(_ browser: BrowserRequest) -> AuditActor { browser.actor }

    // MARK: The request behind it

    /// The request that an attempt is for, if it still waits.
    public func request(_ place: LoginPlace, _ browser: BrowserRequest) async throws -> AuthorizationParameters? {
        do { return try await place.checked(browser) } catch is AuthorizationRefusal { return nil }
    }

    public func language(_ request: AuthorizationParameters?, _ browser: BrowserRequest) -> Language {
        browser.language(for: request?.uiLocales)
    }

    /// Who asks for the login, for the phone; `nil` for this server itself.
    public func service(_ request: AuthorizationParameters?, _ browser: BrowserRequest) -> String? {
        request.map { $0.client.metadata.name(in: [language($0, browser).rawValue]) ?? $0.client.name }
    }

    // MARK: Other doors

    /// Other methods that the person who is asked has, and that lead on; none where nobody is named, for the page with
    /// the password shows them. One door to a page; and one to go on without, where the request merely wishes.
    public func alternatives(
        _ account: UUID?, _ place: LoginPlace, in language: Language, _ browser: BrowserRequest
    ) async throws -> [LoginAlternative] {
        guard let account, let person = browser.context.session?.account, person.id == account else { return [] }
        var pages = Set(web.factors.filter { $0.name == Self.login }.map(\.page))
        return try await web.usefulFactors(of: person, in: browser.context.session).filter {
            pages.insert($0.page).inserted
        }.map {
            LoginAlternative($0, place, in: language)
        } + place.doorOn(try await request(place, browser), in: language, browser)
    }

    /// Whoever is not logged in can do that with a password.
    public func password(_ account: UUID?, _ place: LoginPlace) -> String? {
        account == nil ? "/login?\(place.query)" : nil
    }

    /// Where another kind of phone is set up for the same place; `nil` when there is none.
    public func otherSetup(_ place: LoginPlace) -> String? {
        let page = web.factors.first { $0.name != Self.login && !$0.isOnPasswordPage && $0.enrollmentPage != nil }?
            .enrollmentPage
        return page.map { place.onward($0) }
    }

    /// Leads to where that is set up which the page with the password asks for itself; `nil` when there is none.
    public func setupInstead(_ place: LoginPlace, in language: Language) -> PageLink? {
        let factor = web.factors.first { $0.isOnPasswordPage && $0.enrollmentPage != nil }
        guard let factor, let page = factor.enrollmentPage, let label = factor.enrollmentLink else { return nil }
        return PageLink(label: label(language.rawValue), href: place.onward(page))
    }

    // MARK: Changing what one logs in with

    /// Where to go first; `nil` for who may: who has logged in within 15 minutes, and with a factor if they have one
    /// already, see `WebSide.before`.
    public func detour(_ session: BrowserSession, to place: LoginPlace) async throws -> String? {
        switch try await web.before(changing: session, favourite: Self.login) {
        case .nothing: nil
        case .login: "\(web.issuer)/login?\(place.query)" + (place.reference == nil ? "&again=1" : "")
        case .factor(let page): "\(web.issuer)\(page)?\(place.query)"
        }
    }

    /// Where to go for who began with a password, before there was a factor, and goes on when there is one: the
    /// password alone has become too little.
    public func overtaken(_ session: BrowserSession, _ place: LoginPlace) async throws -> String? {
        guard session.history.ofOurs.time(of: .twoFactors) == nil,
            let factor = try await web.enrolledFactors(of: session.account.id).first
        else { return nil }
        return "\(web.issuer)\(factor.page)?\(place.query)"
    }

    // MARK: The end

    public func ending(
        _ ending: PhoneEndingPage.Ending, _ browser: BrowserRequest, in language: Language? = nil,
        next: PhoneEndingPage.Next = .nothing,
        others: [PageLink] = [], password: String? = nil, alternatives: [LoginAlternative] = [],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let page = PhoneEndingPage(
            language ?? browser.language, ending, next: next, others: others, password: password,
            alternatives: alternatives)
        return browser.html(page.html, status: status)
    }

    /// The same for an attempt that never was, that was used, and that is another browser's.
    public func gone(_ browser: BrowserRequest) -> Response { ending(.gone, browser, status: .notFound) }

    /// Completes a login whose phone has answered, once, and leads on. `person` is whose phone it was, `nil` where it
    /// is theirs no more; where somebody was asked, it must be them, and they must still be logged in here.
    /// `stands` asks the same in the transaction of the login. `phone` is its id: where this login ends its setting up,
    /// its person is told of it.
    public func finish(
        _ attempt: LoginAttempt, _ person: UUID?, phone: String? = nil, methods: [String], again: String,
        _ browser: BrowserRequest,
        stands: (UUID, any SQLExecutor) async throws -> Bool
    ) async throws -> Response {
        let next = PhoneEndingPage.Next.again(
            action: again, attempt: attempt.reference, formToken: formToken(attempt, browser))
        guard let person else {
            try await web.login.refuse(.removed, asked: attempt.account, browser.context)
            return ending(.refused, browser, next: next, status: .forbidden)
        }
        if let asked = attempt.account {
            guard asked == person else {
                try await web.login.refuse(.another, asked: asked, browser.context)
                return ending(.wrongPhone, browser, next: next, status: .forbidden)
            }
            guard browser.context.session?.account.id == asked else {
                return browser.redirect(web.issuer + attempt.then)
            }
        }
        do {
            let cookie = try await web.login.complete(
                person, by: Self.login, methods: methods, using: attempt, browser.context
            ) { transaction in
                guard try await stands(person, transaction) else { return false }
                if attempt.method == Self.setup, let phone, let owner = browser.context.session?.account {
                    try await web.recovery.notices.factorAdded(Self.login, id: phone, to: owner, in: transaction)
                }
                return true
            }
            guard let cookie else { return gone(browser) }
            return browser.redirect(web.issuer + attempt.then, session: cookie, by: Self.login)
        } catch let why as BrowserLogin.Incomplete {
            switch why {
            case .suspended, .removed: return ending(.refused, browser, status: .forbidden)
            case .another: return ending(.wrongPhone, browser, status: .forbidden)
            case .over: return browser.redirect(web.issuer + attempt.then)
            }
        }
    }

    // MARK: Events

    /// The stream of the attempt that `find` finds, as long as it does: whatever `change` says of its subject.
    public func events(
        _ browser: BrowserRequest, of find: @escaping @Sendable () async throws -> LoginAttempt?,
        _ change: @escaping @Sendable (_ subject: String, _ tag: String) async throws -> WatchedEvents.State
    ) async throws -> Response {
        guard try await find() != nil else { throw OAuthError(.notFound, "there is no such login") }
        return try WatchedEvents.respond(seen: browser.seen, of: browser.context.browser, from: browser.context.origin)
        { tag in
            guard let attempt = try await find() else { return Self.over }
            return try await change(attempt.subject, tag)
        }
    }

    /// The state of a thing as pages and events name it. Another thing in its place has other tags, so that a page with
    /// an old code is not taken for a new one.
    public static func tag(_ id: String, _ etag: String) -> String { mark(id) + etag }

    private static func mark(_ id: String) -> String { Base64URL.encode(Digest.sha256("tag \(id)").prefix(6)) + "." }

    /// A state of `id` unlike `tag`. `look` waits for one unlike the etag that it is given, and without one gives that
    /// of now, so that nobody waits for another thing's state; `nil` when there is nothing any more.
    public static func change(
        of id: String, unlike tag: String, _ look: (_ etag: String?) async throws -> WatchedEvents.State?
    ) async throws -> WatchedEvents.State {
        let mark = Self.mark(id)
        guard let state = try await look(tag.hasPrefix(mark) ? String(tag.dropFirst(mark.count)) : nil) else {
            return over
        }
        return WatchedEvents.State(etag: Self.tag(id, state.etag), isFinal: state.isFinal)
    }

    public static var over: WatchedEvents.State { WatchedEvents.State(etag: "over", isFinal: true) }
}

extension LoginAlternative {
    /// A factor as another door.
    public init(_ factor: SecondFactor, _ place: LoginPlace, in language: Language) {
        self.init(label: factor.button(language.rawValue), href: "\(factor.page)?\(place.query)")
    }
}

extension BrowserRequest {
    /// Who is logged in, or the browser.
    public var actor: AuditActor {
        AuditActor(
            name: context.session.map { "account:\($0.account.id.uuidString.lowercased())" } ?? context.client,
            origin: context.origin)
    }
}
