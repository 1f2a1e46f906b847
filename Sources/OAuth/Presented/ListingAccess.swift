import Base
import Federation
import Registration
import Vocabulary

/// The door of the federation's listing, as the operator has set it.
public final class ListingAccess: Sendable {
    public let policy: ListingPolicy
    private let isMember: Membership
    private let clients: ClientAuthentication

    /// Whether a request shows something that lives and was given by this federation; throws `OAuthError` for what is
    /// shown and no good.
    public typealias Membership = @Sendable (PresentedRequest) async throws -> Bool

    public init(_ policy: ListingPolicy, clients: ClientAuthentication, isMember: @escaping Membership) {
        (self.policy, self.clients, self.isMember) = (policy, clients, isMember)
    }

    /// Throws `OAuthError`: 404 `not_found` where the listing is closed, as if it were not there; where it is the
    /// federation's own, 401 `invalid_token` or `invalid_client` for who is not of it.
    public func require(_ request: PresentedRequest) async throws {
        switch policy {
        case .public: return
        case .closed: throw OAuthError(.notFound, "this federation publishes no list of its services")
        case .federation:
            if try await clients.authenticate(request, OAuthParameters([:])) != nil { return }
            if try await isMember(request) { return }
            throw OAuthError(
                .invalidToken,
                "the list is for members of this federation: show a token of it, or authenticate as a client")
        }
    }
}
