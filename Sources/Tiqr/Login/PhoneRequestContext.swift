import Accounts
import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages

/// What the pages of logging in with a phone by scanning share. The id of an authentication or enrollment stays here.
struct PhoneRequestContext: LoginRequestContext {
    /// What attempts are called (`LoginAttempt.method`).
    static let login = TiqrLogin.factor, setup = "tiqr-enrollment"

    let tiqr: TiqrLogin
    let web: WebSide

    /// `nil` once it has been tidied away.
    func state(_ id: String) async throws -> AuthenticationView? {
        do { return try await tiqr.state(id) } catch TiqrRefusal.notFound { return nil }
    }

    /// Phones that can be asked.
    func enrolled(_ account: Account?) async throws -> [TiqrIdentity] {
        guard let account else { return [] }
        return try await tiqr.phones(of: account.id).filter { $0.lastLoginAt != nil }
    }

    /// Asks a phone of the person who is logged in, or whichever answers. The phone rings only where this browser
    /// logged this person in with two factors before, and not where they want a code instead.
    func ask(
        _ phone: TiqrIdentity?, _ request: AuthorizationParameters?, _ browser: BrowserRequest, rings: Bool = true
    ) async throws -> StartedAuthentication {
        let session = phone == nil ? nil : browser.context.session, account = session?.account.id
        var push = false
        if rings, let phone, let account, phone.push {
            push = try await web.pushes.take(client: browser.context.client, account: account)
        }
        return try await tiqr.begin(
            account, phone: phone?.identity, to: service(request, browser), push: push, asksNumber: true,
            below: session?.lineage ?? [],
            actor: actor(browser))
    }

    /// The person's other phones, by their place in the list: an identity has no business in an address.
    func others(
        than phone: String?, among phones: [TiqrIdentity], _ place: LoginPlace, in language: Language
    ) -> [PageLink] {
        phones.enumerated().filter { $0.element.identity != phone && $0.element.status != .blocked }.compactMap {
            let label = LoginPhone($0.element).label(language)
            return PageLink(label: label, href: "/login/tiqr?\(place.query)&phone=\($0.offset)")
        }
    }

    func finish(
        _ attempt: LoginAttempt, _ view: AuthenticationView, again: String, _ browser: BrowserRequest
    ) async throws -> Response {
        try await finish(
            attempt, try await tiqr.standing(view), phone: view.identity, methods: tiqr.methods(view), again: again,
            browser
        ) {
            try await tiqr.isStanding(view, of: $0, in: $1)
        }
    }

    // MARK: Events

    /// A phone that was blocked meanwhile ends the waiting too: nothing that it answers is taken.
    func loginChange(_ id: String, unlike tag: String) async throws -> WatchedEvents.State {
        try await change(
            of: id, unlike: tag, now: { try await watched($0) },
            later: { id, etag in
                let before = try await watched(id)
                guard before.etag == etag, !before.isFinal else { return before }
                _ = try await tiqr.wait(id, unlike: etag, within: WatchedEvents.heartbeat)
                return try await watched(id)
            })
    }

    private func watched(_ id: String) async throws -> WatchedLogin {
        let view = try await tiqr.state(id)
        return WatchedLogin(view: view, isBlocked: try await tiqr.isBlocked(view))
    }

    /// An authentication, and whether the phone that is asked is blocked.
    private struct WatchedLogin: WatchedState {
        let view: AuthenticationView
        let isBlocked: Bool

        var etag: String { view.etag + (isBlocked ? "-blocked" : "") }
        var json: JSONValue { view.json }
        var isFinal: Bool { isBlocked || view.isFinal }
    }

    /// Waits for a state of `id` unlike `tag`.
    func change(
        of id: String, unlike tag: String, now: (_ id: String) async throws -> any WatchedState,
        later: (_ id: String, _ etag: String) async throws -> any WatchedState
    ) async throws -> WatchedEvents.State {
        try await PhoneRequestContext.change(of: id, unlike: tag) { etag in
            do {
                let state = if let etag { try await later(id, etag) } else { try await now(id) }
                return WatchedEvents.State(etag: state.etag, isFinal: state.isFinal)
            } catch TiqrRefusal.notFound {
                return nil
            }
        }
    }
}

extension LoginPhone {
    init(_ phone: TiqrIdentity) {
        self.init(
            id: phone.identity, since: phone.createdAt, lastUsed: phone.lastLoginAt, isBlocked: phone.status == .blocked
        )
    }
}
