import Accounts
import Foundation
import Registration
import TokenTree
import Vocabulary

/// A directory that provisions people: a machine, and whose people it sees and makes.
public struct DirectoryClient: Sendable {
    public let client: String
    public let scope: DirectoryScope
    public let actor: AuditActor
}

extension AuthorizationServer {
    /// Who may provision by SCIM: a machine with an access token of scope `scim` that it got for itself by
    /// `client_credentials`, and whose client still may. Of which institution the client is, is read each time.
    public func directoryClient(_ request: PresentedRequest) async throws -> DirectoryClient {
        let holder = try await provisioningToken(request), body = holder.token.body
        guard body.account == nil, body.parent == nil, body.bundle == nil, let client = body.client,
            Scope(body.scope ?? "")?.contains(AdminScope.provisioning) == true
        else {
            throw OAuthError(
                .insufficientScope, "this token may not provision people", members: ["scope": AdminScope.provisioning])
        }
        guard let place = try await WebClientStore.provisioning(client, in: check.lookup.store.database) else {
            throw OAuthError(.insufficientScope, "the client of this token may not provision people any more")
        }
        return DirectoryClient(
            client: client, scope: place.institution.map { .institution($0) } ?? .federation,
            actor: AuditActor(name: "client:\(client)", origin: request.origin))
    }

    /// A live token that was made for provisioning (`OwnResource`), or for this server as a whole.
    private func provisioningToken(_ request: PresentedRequest) async throws -> AuthenticatedToken {
        let own = check(of: .provisioning)
        if let shown = request.credentials, try await own.live(shown.value) != nil {
            return try await own.require([.accessToken], request)
        }
        return try await check.require([.accessToken], request)
    }
}
