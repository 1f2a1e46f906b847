import Base
import Database
import Foundation

/// A service's row of `event_received`: how far it is in its issuer's events.
struct ReceivedEvents: Sendable {
    let realm: String
    let issuer: String
    let clock: WallClock

    /// Up to which number all events have taken effect; 0 at the beginning. Locked until the transaction ends, so that
    /// of two events that come at once one waits for the other.
    func position(in transaction: any SQLExecutor) async throws -> Int {
        let rows = try await transaction.query(
            """
            insert into event_received as e (realm, issuer, seq, at) values (\(realm), \(issuer), 0, \(clock.now()))
            on conflict (realm, issuer) do update set seq = e.seq returning seq
            """)
        return try rows.first.map { try $0("seq") } ?? 0
    }

    /// `asOf`: a time of the issuer's at which there was no event that is newer; `nil` where nothing is known of that.
    func advance(to seq: Int, asOf: Date?, in transaction: any SQLExecutor) async throws {
        let now = clock.now(), known = asOf.map { min($0, now) }
        _ = try await transaction.execute(
            """
            update event_received set seq = greatest(seq, \(seq)), at = \(now),
                as_of = greatest(as_of, \(known)::timestamptz)
            where realm = \(realm) and issuer = \(issuer)
            """)
    }
}
