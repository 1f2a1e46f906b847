import Base
import Federation
import Registration
import Vocabulary

/// The door of the federation's listing, as the operator has set it.
public final class ListingAccess: Sendable {
    public let policy: ListingPolicy
    private let check: ResourceCheck
    private let clients: ClientAuthentication

    public init(_ policy: ListingPolicy, check: ResourceCheck, clients: ClientAuthentication) {
        (self.policy, self.check, self.clients) = (policy, check, clients)
    }

    /// Throws `OAuthError`: 404 `not_found` where the listing is closed, as if it were not there; where it is the
    /// federation's own, 401 `invalid_token` or `invalid_client` for who is not of it.
    public func require(_ request: PresentedRequest) async throws {
        switch policy {
        case .public: return
        case .closed: throw OAuthError(.notFound, "this federation publishes no list of its services")
        case .federation:
            if try await clients.authenticate(request, OAuthParameters([:])) != nil { return }
            if try await check.holder(request) != nil { return }
            throw OAuthError(
                .invalidToken,
                "the list is for members of this federation: show a token of it, or authenticate as a client")
        }
    }
}
