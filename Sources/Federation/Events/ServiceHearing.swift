import Base
import Database
import Foundation

/// How one service hears, since when, and why.
public struct ServiceHearing: Sendable, Equatable {
    public let wish: Hearing.Wish
    /// `nil` while it is found out, and for a service that is not approved yet.
    public let way: Hearing?
    public let since: Date?
    public let because: String?
    /// Where it is called (RFC 7009), whether it is or not.
    public let revocationEndpoint: String?

    static let columns: SQL = """
        s.notify, s.hears, s.hears_since, s.hears_because, \(Hearing.endpoint) as hears_at
        """

    init(_ row: Row) throws(DatabaseError) {
        (wish, way, since) = (try row("notify"), try row("hears"), try row("hears_since"))
        (because, revocationEndpoint) = (try row("hears_because"), try row("hears_at"))
    }

    /// Whether its assertions are remembered one by one.
    public var isCalled: Bool { Hearing.isCalled(wish, way) }

    /// A service that is called from now on may hold what was issued before: that is written down before the first call
    /// (`RevocationCalls`). What waits is due by the new way.
    static func change(
        _ service: String, to decision: Hearing.Decision, where condition: SQL = "true", at now: Date
    ) -> [SQL] {
        let way = decision.way
        return [
            """
            with before as (
                select s.id, s.hears from service s where s.id = \(service) and \(condition) for no key update
            ), changed as (
                update service s set hears = \(way), hears_because = \(decision.because),
                    hears_since = case when before.hears = \(way) then s.hears_since else \(now) end
                from before where s.id = before.id
                    and (s.hears is distinct from \(way) or s.hears_because is distinct from \(decision.because))
                returning s.id, before.hears
            )
            update delivery d set next_try = case when d.acknowledged < d.last then \(now) else d.next_try end,
                calls_from = null,
                fill_after = case when \(way == .revoke) and changed.hears is not null then \(firstAssertion)
                    else d.fill_after end
            from changed where d.service = changed.id and changed.hears is distinct from \(way)
            """,
            "select pg_notify(\(Outbox.channel), '')",
        ]
    }

    private static let firstAssertion: SQL = "'00000000-0000-0000-0000-000000000000'::uuid"

    var json: JSONObject {
        [
            "notify": .string(wish.rawValue), "hears": JSONValue(way?.rawValue),
            "hears_since": JSONValue(since?.rfc3339), "hears_because": JSONValue(because),
            "revocation_endpoint": JSONValue(revocationEndpoint),
        ]
    }
}
