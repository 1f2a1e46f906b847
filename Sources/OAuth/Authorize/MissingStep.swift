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
    case consent
    case refused(OAuthError)

    var isNothingButConsent: Bool {
        switch self {
        case .nothing, .consent: true
        case .login, .refused: false
        }
    }
}

extension AuthorizeEndpoint {
    func missing(_ checked: AuthorizationParameters, _ pending: PendingRequest?, _ visitor: Visitor) async throws -> MissingStep {
        guard let session = visitor.session else { return .login(again: false) }
        let loggedInForThis = pending.map { session.authentication.time >= $0.openedAt } ?? false
        if !loggedInForThis, checked.prompts.contains(.login) || checked.prompts.contains(.selectAccount) || isTooOld(session, checked) { return .login(again: true) }
        if let subject = try await wantedSubject(checked), subject != subjects.of(session.account.id, at: checked.client) {
            return loggedInForThis ? .refused(OAuthError(.loginRequired, "another person logged in than the one asked for")) : .login(again: true)
        }
        if let refusal = strengthRefusal(session, checked) { return .refused(refusal) }
        let claims = ClaimsRelease(client: checked.client).names(checked.scope, checked.claims.idToken + checked.claims.userInfo)
        guard !checked.prompts.contains(.consent) else { return .consent }
        return try await consents.covers(session.account.id, checked.client.id, scopes: checked.scope.names, claims: claims, in: database) ? .nothing : .consent
    }

    private func isTooOld(_ session: BrowserSession, _ checked: AuthorizationParameters) -> Bool {
        checked.maxAge.map { clock.now().timeIntervalSince(session.authentication.time) > $0 } ?? false
    }

    /// Until a second factor exists, nothing can be done about a login that is too weak but to say so.
    private func strengthRefusal(_ session: BrowserSession, _ checked: AuthorizationParameters) -> OAuthError? {
        if session.account.requiredFactor != .none, session.authentication.level != .twoFactors {
            return OAuthError(.unmetAuthentication, "this account asks for a second factor, and none can be shown in a browser here yet")
        }
        if checked.requiresLevel, !checked.wantedLevels.contains(where: { session.authentication.reaches($0) }) {
            return OAuthError(.unmetAuthentication, "no login here is as strong as the request asks for")
        }
        return nil
    }

    /// `sub` that the request is about: of `id_token_hint` (OpenID Connect Core, 3.1.2.1) or of the claims parameter.
    private func wantedSubject(_ checked: AuthorizationParameters) async throws -> String? {
        guard let hint = checked.idTokenHint else { return checked.claims.subject }
        guard let jwt = try? JWT(hint), jwt.type == JWTType.plain.rawValue, jwt.string("iss") == issuer, jwt.audiences == [checked.client.id], try await keys.verify(jwt) else {
            throw AuthorizationRefusal.redirect(OAuthError(.invalidRequest, "id_token_hint is no ID token of this server for this client"), checked.target)
        }
        return jwt.string("sub")
    }
}
