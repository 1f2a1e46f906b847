import Database
import Foundation

/// What is written when events of one service are settled, however that came about. All of it is one transaction.
///
/// The row of `delivery` is locked by a statement of its own, before anything is counted: who appends holds it until
/// its commit, so the statement that counts sees each event whose number has been given.
enum EventSettlement {
    /// Characters that are kept of what was wrong with an event.
    static let longestError = 500

    /// What was wrong with an event, by its `jti`.
    struct Dead: Sendable {
        let jti: String
        let error: String

        init(_ jti: String, because error: String) {
            (self.jti, self.error) = (jti, EventSettlement.kept(error))
        }
    }

    /// `isPushed`: the receiver has taken one by push, so earlier failures are no more. Identifiers that are unknown
    /// are passed over; a dead letter that is acknowledged after all is one no longer.
    static func settle(
        _ service: String, acknowledged: [String] = [], dead: [Dead] = [], isPushed: Bool = false, at now: Date
    ) -> [SQL] {
        var statements = [lock(service)]
        if !acknowledged.isEmpty {
            statements.append(
                """
                update outbox set settled_at = \(now), error = null
                where service = \(service) and jti = any (\(acknowledged)) and (settled_at is null or error is not null)
                """)
        }
        if !dead.isEmpty {
            statements.append(
                """
                update outbox o set settled_at = \(now), error = d.error
                from unnest(\(dead.map(\.jti)), \(dead.map(\.error))) as d (jti, error)
                where o.service = \(service) and o.jti = d.jti and o.settled_at is null
                """)
        }
        return statements + [advance(service, isPushed: isPushed)]
    }

    /// Gives up all with which there has been patience since `limit` or before.
    static func giveUp(_ service: String, triedBefore limit: Date, because error: String, at now: Date) -> [SQL] {
        [
            lock(service),
            """
            update outbox set settled_at = \(now), error = \(kept(error))
            where service = \(service) and settled_at is null and coalesce(tried_from, created_at) <= \(limit)
            """,
            advance(service),
        ]
    }

    /// Behind it, nobody numbers, settles or revives events of the service until the transaction ends.
    static func lock(_ service: String) -> SQL { "select last from delivery where service = \(service) for update" }

    /// The low-water mark, which goes back where a dead letter is to be tried anew.
    static func advance(_ service: String, isPushed: Bool = false) -> SQL {
        """
        update delivery d set acknowledged = coalesce(w.first - 1, d.last),
            failures = case when \(isPushed) or w.first is null then 0 else d.failures end,
            last_error = case when \(isPushed) or w.first is null then null else d.last_error end
        from (select min(seq) as first from outbox where service = \(service) and settled_at is null) w
        where d.service = \(service)
        """
    }

    private static func kept(_ error: String) -> String {
        String(String.UnicodeScalarView(error.unicodeScalars.filter { $0 != "\0" }.prefix(longestError)))
    }
}
