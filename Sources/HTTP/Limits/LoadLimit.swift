import Accounts
import Synchronization
import Vocabulary

/// How many grants may be under way in this process, those that wait for the database among them. Beyond it a request
/// gets 503 at once: so nobody waits longer than as many grants take, however many ask. Introspection and revocation
/// stand beside it, and so do passwords, whose queue is `PasswordHasher`'s.
///
/// Grants gather in commits, so the queue is not that of the pool of connections but of requests.
public final class LoadLimit: Sendable {
    private let most: Int
    private let tally: RefusalTally
    private let underWay = Atomic(0)

    /// `nil` where `most` is 0.
    public init?(most: Int, tally: RefusalTally) {
        guard most > 0 else { return nil }
        (self.most, self.tally) = (most, tally)
    }

    /// Throws `temporarily_unavailable` (503); else `leave` is to follow.
    func enter(from address: String?) throws {
        guard underWay.add(1, ordering: .relaxed).newValue > most else { return }
        leave()
        tally.note(.load, from: address)
        throw OAuthError(
            .temporarilyUnavailable, "too many grants are under way; try again in a moment", retryAfter: 1
        ).tallied
    }

    func leave() { underWay.subtract(1, ordering: .relaxed) }

    /// The body is read before: whoever sends it slowly, or never, has no place meanwhile.
    func bounding(_ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        { [self] request, context in
            let whole = try await BodyReading.whole(request)
            try enter(from: context.peer)
            defer { leave() }
            return try await handler(whole, context)
        }
    }
}
