import HTTP
import OAuth
import Registration
import Vocabulary

/// Whom discovery answers: who shows a service assertion that was made for it, or a service access token of its own.
struct DiscoveryDoor: Sendable {
    let role: ServiceRole

    /// Throws `OAuthError`: 401 for nothing, or what is dead, badly proven or another's, a personal access token too;
    /// 403 for another kind of token of this service.
    func asker(_ request: PresentedRequest) async throws -> DiscoveryRoutes.Asker {
        guard let asker = try await find(request) else {
            throw OAuthError(
                .invalidToken, "show a service assertion for this service, or a service access token of it")
        }
        return asker
    }

    /// `nil` when the request shows nothing at all.
    func find(_ request: PresentedRequest) async throws -> DiscoveryRoutes.Asker? {
        if let assertion = try await role.assertion(request) { return asker(assertion.client) }
        guard let holder = try await role.check.holder(request) else { return nil }
        guard holder.token.body.kind == .serviceToken else {
            throw OAuthError(.insufficientScope, "this takes a service assertion, or a service access token")
        }
        return asker(holder.token.body.client ?? "")
    }

    /// An assertion may be a web client's, but nothing tells: all see what apps do.
    private func asker(_ client: String) -> DiscoveryRoutes.Asker {
        DiscoveryRoutes.Asker(client: client, isInstance: true, account: nil)
    }
}
