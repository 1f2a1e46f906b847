import Base
import Database
import Foundation

/// Events that were given up: nobody took them in time, or the receiver said that one is wrong (docs/events.md, "Dead
/// letters").
public enum DeadEvents {
    /// `{service, seq, jti, event, error, created_at, given_up_at}`, by number, behind `after`.
    public static func list(
        _ service: String, after: Int, limit: Int, in executor: any SQLExecutor
    ) async throws -> [JSONObject] {
        try await executor.query(
            """
            select o.seq, o.jti, o.event, o.error, o.created_at, o.settled_at from outbox o
            where o.service = \(service) and o.error is not null and o.seq > \(after) order by o.seq limit \(limit)
            """
        ).map { row in
            [
                "service": .string(service), "seq": .integer(try row("seq")), "jti": .string(try row("jti")),
                "event": .string(try row("event")), "error": .string(try row("error")),
                "created_at": .string((try row("created_at") as Date).rfc3339),
                "given_up_at": .string((try row("settled_at") as Date).rfc3339),
            ]
        }
    }

    /// Has them sent again, in their order and before all that wait; gives their `jti`. Without one: all of them.
    /// `transaction` is one, so that nothing is numbered meanwhile.
    public static func retry(
        _ service: String, jti: String?, at now: Date, in transaction: any SQLExecutor
    ) async throws -> [String] {
        try await change(
            service,
            """
            update outbox set settled_at = null, error = null, tried_from = \(now)
            where service = \(service) and error is not null and (\(jti)::text is null or jti = \(jti)) returning jti
            """,
            [
                "update delivery set next_try = \(now) where service = \(service)",
                "select pg_notify(\(Outbox.channel), \(service))::text as told",
            ], in: transaction)
    }

    /// Forgets them; gives their `jti`. Without one: all of them.
    public static func drop(
        _ service: String, jti: String?, in transaction: any SQLExecutor
    ) async throws -> [String] {
        try await change(
            service,
            """
            delete from outbox
            where service = \(service) and error is not null and (\(jti)::text is null or jti = \(jti)) returning jti
            """, [], in: transaction)
    }

    private static func change(
        _ service: String, _ change: SQL, _ more: [SQL], in transaction: any SQLExecutor
    ) async throws -> [String] {
        let results = try await transaction.batch(
            [EventSettlement.lock(service), change, EventSettlement.advance(service)] + more)
        return try results[1].map { try $0("jti") }
    }
}
