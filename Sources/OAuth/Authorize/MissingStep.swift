import Accounts
import Base
import Foundation
import Keys
import Registration
import Vocabulary

/// What stands between a request and its answer. The order is the dispatcher's: account, factor, consent.
enum MissingStep: Sendable {
    case nothing
    case login(again: Bool)
    /// A path of ours that asks for a second factor, or enrols one.
    case factor(page: String)
    case consent
    case refused(OAuthError)

    var isNothingButConsent: Bool {
        switch self {
        case .nothing, .consent: true
        case .login, .factor, .refused: false
        }
    }
}

extension AuthorizeEndpoint {
    func missing(
        _ checked: AuthorizationParameters, _ pending: PendingRequest?, _ context: BrowserSessionContext
    ) async throws -> MissingStep {
        guard let session = context.session else { return .login(again: false) }
        let loggedInForThis = pending.map { session.history.latest >= $0.openedAt } ?? false
        if !loggedInForThis,
            checked.prompts.contains(.login) || checked.prompts.contains(.selectAccount) || isTooOld(session, checked)
        {
            return .login(again: true)
        }
        if let subject = try await wantedSubject(checked),
            subject != subjects.of(session.account.id, at: checked.client)
        {
            return loggedInForThis
                ? .refused(OAuthError(.loginRequired, "another person logged in than the one asked for"))
                : .login(again: true)
        }
        if let factor = try await missingFactor(session, checked, pending) { return factor }
        let claims = ClaimsRelease(client: checked.client).names(
            checked.scope, checked.claims.idToken + checked.claims.userInfo)
        let services = try await codes.resources(checked).services.map(\.id)
        guard !checked.prompts.contains(.consent) else { return .consent }
        // Nobody knows which program asks: another one may have taken the client's name, and the scheme or port with it
        // (RFC 8252, 8.6). So a person sees it each time.
        if checked.client.authMethod == .none, RedirectURI.isAnybodys(checked.target.redirectURI) { return .consent }
        return try await consents.covers(
            session.account.id, checked.client.id, scopes: checked.scope.names, claims: claims, services: services,
            in: database)
            ? .nothing : .consent
    }

    private func isTooOld(_ session: BrowserSession, _ checked: AuthorizationParameters) -> Bool {
        checked.maxAge.map { clock.now().timeIntervalSince(session.history.latest) > $0 } ?? false
    }

    /// Whether what was shown at `time` is as new as the request wants a login.
    private func isNewEnough(_ time: Date?, _ checked: AuthorizationParameters, _ pending: PendingRequest?) -> Bool {
        guard let time else { return false }
        if let pending, time >= pending.openedAt { return true }
        guard !checked.prompts.contains(.login), !checked.prompts.contains(.selectAccount) else { return false }
        return checked.maxAge.map { clock.now().timeIntervalSince(time) <= $0 } ?? true
    }

    /// A login of one factor, where account or request ask for two: to the page of a factor that the person has;
    /// without one, to the page where it is enrolled if the account asks, nowhere if the request merely wishes. Once a
    /// factor was shown the session has two, so nobody is sent in circles. Where a new login is wanted (`prompt=login`,
    /// `max_age`), an older second factor does not stand in for it.
    private func missingFactor(
        _ session: BrowserSession, _ checked: AuthorizationParameters, _ pending: PendingRequest?
    ) async throws -> MissingStep? {
        guard
            let demand = demand(session, checked),
            !(demand.isMet(by: session) && isNewEnough(demand.shownAt(session.history), checked, pending))
        else { return nil }
        // `acr_values` are a wish (OpenID Connect Core, 3.1.2.1): no reason to refuse a request that must not ask
        // anybody, and none to keep a person who went on without.
        let isPassedOver =
            !demand.isCondition && (checked.prompts.contains(.none) || pending?.hasWaivedLevel == true)
        switch try await demand.step(session, isNew: { isNewEnough($0, checked, pending) }, in: database) {
        case .show(let factor): return isPassedOver ? nil : .factor(page: factor.page)
        case .password: return isPassedOver ? nil : .login(again: true)
        case .nothing: break
        }
        guard demand.isCondition else { return nil }
        guard demand.isOfAccount else {
            return .refused(OAuthError(.unmetAuthentication, "no login here is as strong as the request asks for"))
        }
        guard let page = demand.fitting.lazy.compactMap(\.enrollmentPage).first else {
            return .refused(
                OAuthError(
                    .unmetAuthentication,
                    "this account asks for a second factor, and none can be shown in a browser here yet"))
        }
        return .factor(page: page)
    }

    /// `sub` that the request is about: of `id_token_hint` (OpenID Connect Core, 3.1.2.1) or of the claims parameter.
    private func wantedSubject(_ checked: AuthorizationParameters) async throws -> String? {
        guard let hint = checked.idTokenHint else { return checked.claims.subject }
        guard let jwt = try? JWT(hint), jwt.type == JWTType.plain.rawValue, jwt.string("iss") == issuer,
            jwt.audiences == [checked.client.id], try await keys.verify(jwt)
        else {
            throw AuthorizationRefusal.redirect(
                OAuthError(.invalidRequest, "id_token_hint is no ID token of this server for this client"),
                checked.target)
        }
        return jwt.string("sub")
    }
}

extension AuthorizationParameters {
    /// How recent a login the request asks for (`prompt=login`, `max_age`; OpenID Connect Core, 3.1.2.1); `nil`: any.
    func oldestLogin(_ pending: PendingRequest?, at now: Date) -> Date? {
        let opened = prompts.contains(.login) || prompts.contains(.selectAccount) ? pending?.openedAt : nil
        return [opened, maxAge.map { now.addingTimeInterval(-$0) }].compactMap { $0 }.max()
    }
}
