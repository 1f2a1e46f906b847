import Accounts
import Base
import Database
import Foundation
import TokenTree

/// Rows of `outbox` and `delivery`. Written by the transaction that revokes or moves; settled by `EventSender`
/// and `EventPolls`, forgotten by `EventPurge`.
public struct Outbox: Sendable {
    static let channel = "pando_events"

    let names: PairwiseNames
    let clock: WallClock
    let randomness: Randomness

    public init(names: PairwiseNames, clock: WallClock, randomness: Randomness) {
        (self.names, self.clock, self.randomness) = (names, clock, randomness)
    }

    /// One event per service: the node, by its pseudonym there, has ended.
    public func ended(_ node: NodeID, services: [String], in executor: any SQLExecutor) async throws {
        for service in services {
            let name = names.node(node, at: service)
            try await append("ended", ["node": .string(name)], of: node, to: service, in: executor)
        }
    }

    /// One event to every service that may hold something by this signing key, told of by us or not: who stole the key
    /// names what he likes as lineage. The node is `signer:KID`, which each service adds to what it issues for an
    /// assertion by that key.
    public func revoked(signer kid: String, in executor: any SQLExecutor) async throws {
        let rows = try await executor.query(
            "select id from service where status in ('active', 'suspended') order by id")
        for row in rows {
            try await append("ended", ["node": .string(Ancestor(.signer, kid).label)], to: try row("id"), in: executor)
        }
    }

    /// One event per service: what hangs below `node` has changed one ancestor for another.
    public func moved(
        _ node: NodeID, from: NodeID, to: NodeID, services: [String], in executor: any SQLExecutor
    ) async throws {
        for service in services {
            try await append(
                "moved",
                [
                    "node": .string(names.node(node, at: service)), "from": .string(names.node(from, at: service)),
                    "to": .string(names.node(to, at: service)),
                ], to: service, in: executor)
        }
    }

    /// Tells a service which apps it takes now: all of the policy, so that who missed one event has it with the next.
    func changed(_ policy: AppPolicy, of service: String, in executor: any SQLExecutor) async throws {
        try await append("policy", policy.json.object ?? [:], to: service, in: executor)
    }

    /// `node` is what a service that is called is called for.
    ///
    /// The row of `delivery` is locked until commit, so sequence numbers have no gaps and follow the order of commits.
    /// The commit tells senders and whoever polls, by the service's id. The event's number.
    @discardableResult
    func append(
        _ event: String, _ body: JSONObject, of node: NodeID? = nil, to service: String, in executor: any SQLExecutor
    ) async throws -> Int {
        let rows = try await executor.query(
            """
            with numbered as (
                insert into delivery as d (service, last, next_try) values (\(service), 1, \(clock.now()))
                on conflict (service) do update set last = d.last + 1, next_try = coalesce(d.next_try, \(clock.now()))
                returning last
            ), made as (
                insert into outbox (service, seq, jti, event, body, created_at, node)
                select \(service), numbered.last, \(randomness.identifier()), \(event), \(JSONValue.object(body)),
                    \(clock.now()), \(node) from numbered
                returning service, seq
            )
            select seq, pg_notify(\(Outbox.channel), service)::text as told from made
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return try row("seq")
    }

    /// What waits for a service may leave in another way now: it is looked at again. What its calls wait for, as a
    /// service that is called may have asked, does not hold up a stream.
    func due(_ service: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "update delivery set calls_from = null where service = \(service) and calls_from is not null")
        try await Outbox.retry(service: service, at: clock.now(), in: executor)
    }

    /// How far delivery has come, for `pando admin events status`.
    public static func status(
        service: String?, of filter: InstitutionFilter = .everything, at now: Date, in executor: any SQLExecutor
    ) async throws -> [JSONValue] {
        try await executor.query(
            """
            select d.service, d.last, d.acknowledged, d.failures, d.next_try, d.last_error, \(ServiceHearing.columns),
                   case when s.hears = 'revoke' and \(StreamCourses.isNative) then \(Outbox.callsLeft) end
                       as calls_left,
                   (select e.status from event_stream e where e.service = d.service) as stream,
                   (select o.created_at from outbox o where o.service = d.service and o.settled_at is null
                       order by o.seq limit 1) as oldest,
                   (select count(*) from outbox o where o.service = d.service and o.error is not null) as dead
            from delivery d join service s on s.id = d.service
            where (\(service)::text is null or d.service = \(service))
                and \(filter.condition("s.institution", service: "s.id")) order by d.service
            """
        ).map { row in
            let oldest: Date? = try row("oldest"), next: Date? = try row("next_try")
            let (last, acknowledged): (Int, Int) = (try row("last"), try row("acknowledged"))
            return [
                "service": .string(try row("service")), "last": .integer(last), "acknowledged": .integer(acknowledged),
                "lag_s": .integer(oldest.map { max(0, Int(now.timeIntervalSince($0))) } ?? 0),
                "dead": .integer(try row("dead")), "failures": .integer(try row("failures")),
                "next_try": JSONValue(acknowledged < last ? next?.rfc3339 : nil),
                "last_error": JSONValue(try row("last_error") as String?),
                "hears": JSONValue(try ServiceHearing(row).way?.rawValue),
                "hears_since": JSONValue(try ServiceHearing(row).since?.rfc3339),
                "stream": JSONValue(try row("stream") as String?),
                "calls_left": (try row("calls_left") as Int?).map { .integer($0) } ?? .null,
            ]
        }
    }

    /// Assertions that are still to be called for; from 10,000 on it is not counted how many more.
    private static let callsLeft: SQL = """
        (select count(*) from (
            select distinct a.assertion from outbox o join assertion_reach a on a.lineage @> array[o.node]
            where o.service = d.service and o.settled_at is null and a.service = d.service limit 10000) as waiting)
        """

    /// Tries again now instead of at the next appointed time.
    public static func retry(service: String, at now: Date, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "update delivery set next_try = \(now) where service = \(service) and acknowledged < last")
        _ = try await executor.execute("select pg_notify(\(Outbox.channel), \(service))")
    }
}
