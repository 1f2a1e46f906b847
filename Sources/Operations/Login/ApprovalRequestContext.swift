import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Pages

/// What the pages of approving in an app share. The name of a registration stays here; that of an operation is in the
/// code that the phone scans.
struct ApprovalRequestContext: LoginRequestContext {
    /// What attempts are called (`LoginAttempt.method`).
    static let login = ApprovalLogin.factor, setup = "operations-registration"

    let approval: ApprovalLogin
    let web: WebSide

    /// Why a person cannot be asked; `nil` when they can.
    func hindrance(_ person: Account) async throws -> PhoneEndingPage.Ending? {
        let factors = try await approval.phones(of: person.id).filter(\.isFactor)
        guard !factors.isEmpty else { return .noPhone }
        return factors.contains { $0.state == .active } ? nil : .blocked(seconds: nil)
    }

    /// Asks the phones of the person who is logged in, or whichever claims it. They ring only where this browser logged
    /// this person in with two factors before.
    func ask(
        _ person: Account?, _ request: AuthorizationParameters?, _ browser: BrowserRequest
    ) async throws -> (login: LoginOperation, rings: Bool) {
        var rings = false
        if let person, try await approval.canRing(person.id) {
            rings = try await web.pushes.take(client: browser.context.client, account: person.id)
        }
        let language = self.language(request, browser)
        let login = ApprovalLogin.Login(
            to: service(request, browser), from: browser.context.origin,
            browser: language.browser(browser.context.device),
            language: language.rawValue, rings: rings)
        let lineage = person == nil ? [] : browser.context.session?.lineage ?? []
        return (try await approval.begin(person?.id, login, below: lineage, actor: actor(browser)), rings)
    }

    func finish(
        _ attempt: LoginAttempt, _ login: LoginOperation, again: String, _ browser: BrowserRequest
    ) async throws -> Response {
        try await finish(
            attempt, try await approval.standing(login), methods: approval.methods(login), again: again, browser
        ) {
            try await approval.isStanding(login, of: $0, in: $1)
        }
    }

    // MARK: Events

    /// Another state, or another proximity code to be drawn.
    func loginChange(_ id: String, unlike tag: String) async throws -> WatchedEvents.State {
        try await ApprovalRequestContext.change(of: id, unlike: tag) { etag in
            let now =
                if let etag { try await approval.wait(id, unlike: etag, within: WatchedEvents.heartbeat) } else {
                    try await approval.state(id)
                }
            return now.map { WatchedEvents.State(etag: $0.etag, isFinal: $0.isFinal) }
        }
    }

    func setupChange(_ id: String, unlike tag: String) async throws -> WatchedEvents.State {
        try await ApprovalRequestContext.change(of: id, unlike: tag) { etag in
            let now =
                if let etag { try await approval.waitSetup(id, unlike: etag, within: WatchedEvents.heartbeat) } else {
                    try await approval.setup(id)
                }
            return now.map { WatchedEvents.State(etag: $0.etag, isFinal: $0.isFinal) }
        }
    }
}

extension ApprovingPhone {
    /// `nil` for one that no phone has taken yet.
    init?(_ phone: PhoneRegistration) {
        let state: State
        switch phone.state {
        case .active: state = .active
        case .blocked: state = .blocked
        case .pendingCommit: state = .unconfirmed
        case .created, .removed: return nil
        }
        self.init(
            id: phone.id, name: phone.name, device: phone.deviceInfo ?? phone.platform, since: phone.createdAt,
            lastUsed: phone.lastUsedAt, state: state,
            fingerprint: phone.fingerprint)
    }
}
