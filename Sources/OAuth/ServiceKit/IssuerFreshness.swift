import Base
import Database
import Foundation
import Synchronization
import Vocabulary

/// Whether a service has heard from its issuer lately. Where it has not, it cannot know what has ended since, and so
/// refuses what hangs below that issuer (docs/events.md, "Failing closed").
public final class IssuerFreshness: Sendable {
    /// Seconds between two readings while the issuer is not heard.
    private static let pause: TimeInterval = 1

    private struct Heard {
        var asOf: Date?
        var readAt: Date?
    }

    private let realm: String
    private let issuer: String
    private let limit: TimeInterval
    private let database: Database
    private let clock: WallClock
    private let heard = Mutex(Heard())

    /// `nil` for a `limit` of 0 seconds: then nothing is refused.
    init?(realm: String, issuer: String, limit: TimeInterval, database: Database, clock: WallClock) {
        guard limit > 0 else { return nil }
        (self.realm, self.issuer, self.limit, self.database, self.clock) = (realm, issuer, limit, database, clock)
    }

    /// Throws `temporarily_unavailable`. While the issuer is heard, the database is asked once in `limit` seconds; else
    /// about once a second, so that it is noticed soon when it is heard again.
    func require() async throws {
        let now = clock.now(), known = heard.withLock { $0 }
        if isFresh(known.asOf, at: now) { return }
        if let readAt = known.readAt, abs(now.timeIntervalSince(readAt)) < IssuerFreshness.pause { throw stale }
        let asOf = try await read()
        heard.withLock { heard in
            heard.readAt = now
            heard.asOf = [heard.asOf, asOf].compactMap { $0 }.max()
        }
        guard isFresh(asOf, at: now) else { throw stale }
    }

    private func isFresh(_ asOf: Date?, at now: Date) -> Bool {
        asOf.map { now.timeIntervalSince($0) <= limit } ?? false
    }

    private func read() async throws -> Date? {
        let row = try await database.query(
            "select as_of from event_received where realm = \(realm) and issuer = \(issuer)"
        ).first
        return try row.flatMap { try $0("as_of", as: Date?.self) }
    }

    private var stale: OAuthError {
        OAuthError(
            .temporarilyUnavailable, "nothing was heard from the federation for some time; try again in a moment",
            cause: "no event or heartbeat of \(issuer) within \(Int(limit)) seconds", retryAfter: 5)
    }
}
