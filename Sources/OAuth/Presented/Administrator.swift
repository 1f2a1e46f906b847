import Foundation
import Registration
import TokenTree
import Vocabulary

extension AuthorizationServer {
    /// Who may administer by HTTP: a machine with an access token of scope `admin` that it got for itself by
    /// `client_credentials`, and whose client still may. A token that a person stands behind is none, whatever its
    /// scope: people have no admin role yet.
    public func administrator(_ request: PresentedRequest) async throws -> AuthenticatedToken {
        let holder = try await administrationToken(request), body = holder.token.body
        guard body.account == nil, body.parent == nil, body.bundle == nil, let client = body.client,
            Scope(body.scope ?? "")?.contains(AdminScope.name) == true
        else {
            throw OAuthError(.insufficientScope, "this token has no admin role", members: ["scope": AdminScope.name])
        }
        guard try await WebClientStore.administers(client, in: check.lookup.store.database) else {
            throw OAuthError(.insufficientScope, "the client of this token may not administer any more")
        }
        return holder
    }

    /// A live token that was made for the administration (`OwnResource`), or that a machine got for this server as a
    /// whole: what a person let an application have of this server does not administer.
    public func administrationToken(_ request: PresentedRequest) async throws -> AuthenticatedToken {
        let own = check(of: .administration)
        if let shown = request.credentials, try await own.live(shown.value) != nil {
            return try await own.require([.accessToken], request)
        }
        let holder = try await check.require([.accessToken], request)
        guard holder.token.body.account == nil else {
            throw OAuthError(
                .invalidToken,
                "this token is for another resource: ask for one with resource="
                    + OwnResource.administration.url(realm.base))
        }
        return holder
    }
}
