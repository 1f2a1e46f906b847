import Base
import Database
import Foundation
import TokenTree

/// A row of `operations_callback`; its secret is not in here.
public struct CallbackView: Sendable {
    public let id: String
    let url: String
    let events: [String]
    let attributes: [String]?
    let createdAt: Date
    /// Only in the answer that makes it.
    let secret: String?

    public var json: JSONValue {
        var members: JSONObject = ["id": .string(id), "url": .string(url), "events": JSONValue(strings: events)]
        if let attributes { members["attributes"] = JSONValue(strings: attributes) }
        if let secret { members["secret"] = .string(secret) }
        members["timestampCreated"] = .integer(createdAt.milliseconds)
        return .object(members)
    }
}

/// One event of a callback, and how its delivery stands.
public struct DeliveryView: Sendable {
    let id: String
    let type: String
    let subject: String
    let tries: Int
    let createdAt: Date
    let nextTry: Date?
    let deliveredAt: Date?
    let lastError: String?

    init(_ row: Row) throws(DatabaseError) {
        (id, type, subject, tries) = (try row("id"), try row("type"), try row("subject"), try row("tries"))
        (createdAt, nextTry, deliveredAt, lastError) = (
            try row("created_at"), try row("next_try"), try row("delivered_at"), try row("last_error")
        )
    }

    public var json: JSONValue {
        let status = deliveredAt != nil ? "DELIVERED" : nextTry != nil ? "PENDING" : "GIVEN_UP"
        var members: JSONObject = [
            "id": .string(id), "type": .string(type), "subject": .string(subject), "status": .string(status),
            "tries": .integer(tries),
            "timestampCreated": .integer(createdAt.milliseconds),
        ]
        if let nextTry { members["timestampNextTry"] = .integer(nextTry.milliseconds) }
        if let deliveredAt { members["timestampDelivered"] = .integer(deliveredAt.milliseconds) }
        if let lastError { members["lastError"] = .string(lastError) }
        return .object(members)
    }
}

/// Rows of `operations_callback`.
struct CallbackStore: Sendable {
    static let mostOfOneOwner = 20

    let vault: SealedColumns
    let clock: WallClock
    let randomness: Randomness

    func add(
        _ draft: CallbackDraft, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> CallbackView {
        let owner = try caller.beginner(), id = OperationID.fresh(randomness), now = clock.now(),
            secret = randomness.secret()
        let sealed = try vault.seal(secret, .callbackSecret, of: id)
        let done =
            try await transaction.execute(
                """
                insert into operations_callback (id, owner, url, events, attributes, secret, sealed_by, created_at)
                select \(id)::text, \(owner)::text, \(draft.url)::text, \(draft.events)::text[],
                    \(draft.attributes)::text[], \(sealed.bytes)::bytea, \(sealed.by)::text,
                       \(now)::timestamptz
                where (select count(*) from operations_callback c
                    where c.owner = \(owner)) < \(CallbackStore.mostOfOneOwner)
                """) > 0
        guard done else {
            throw BackOfficeRefusal.request("there are \(CallbackStore.mostOfOneOwner) callbacks already")
        }
        // Its query may hold a secret of the service.
        let place = WebAddress(draft.url)?.withoutQuery ?? ""
        try await OperationsAudit.write(
            "operations.callback.add", caller.actor, about: "callback:\(id)", ["url": .string(place)], at: now,
            in: transaction)
        return CallbackView(
            id: id, url: draft.url, events: draft.events, attributes: draft.attributes, createdAt: now,
            secret: CallbackSignature.text(of: secret))
    }

    func all(for caller: OperationsCaller, in executor: any SQLExecutor) async throws -> [CallbackView] {
        try await executor.query(
            """
            select \(CallbackStore.columns) from operations_callback c where \(visible(caller))
                order by c.created_at, c.id limit 1000
            """
        ).map { try view($0) }
    }

    func find(_ id: String, for caller: OperationsCaller, in executor: any SQLExecutor) async throws -> CallbackView {
        let rows = try await executor.query(
            "select \(CallbackStore.columns) from operations_callback c where c.id = \(id) and \(visible(caller))")
        guard let row = rows.first else { throw BackOfficeRefusal.callbackNotFound }
        return try view(row)
    }

    func remove(_ id: String, by caller: OperationsCaller, in transaction: any SQLExecutor) async throws {
        let done =
            try await transaction.execute("delete from operations_callback c where c.id = \(id) and \(visible(caller))")
            > 0
        guard done else { throw BackOfficeRefusal.callbackNotFound }
        try await OperationsAudit.write(
            "operations.callback.remove", caller.actor, about: "callback:\(id)", at: clock.now(), in: transaction)
    }

    /// The newest 100 events of a callback.
    func deliveries(
        of id: String, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> [DeliveryView] {
        _ = try await find(id, for: caller, in: executor)
        return try await executor.query(
            """
            select e.id, e.type, e.subject, e.tries, e.created_at, e.next_try, e.delivered_at, e.last_error
                from operations_callback_event e
            where e.callback = \(id) order by e.number desc limit 100
            """
        ).map { try DeliveryView($0) }
    }

    /// Sends again, from the beginning: one event whatever became of it, or all that were given up; how many.
    func redeliver(
        _ id: String, event: String?, by caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> Int {
        _ = try await find(id, for: caller, in: transaction)
        let now = clock.now()
        let chosen: SQL = event.map { "e.id = \($0)" } ?? "e.next_try is null and e.delivered_at is null"
        let count = try await transaction.execute(
            """
            update operations_callback_event e set next_try = \(now), first_try = \(now), tries = 0,
                delivered_at = null, last_error = null
            where e.callback = \(id) and \(chosen)
            """)
        if event != nil, count == 0 { throw BackOfficeRefusal.request("there is no such event of this callback") }
        try await OperationsAudit.write(
            "operations.callback.redeliver", caller.actor, about: "callback:\(id)", ["events": .integer(count)],
            at: now, in: transaction)
        return count
    }

    private static let columns: SQL = "c.id, c.url, c.events, c.attributes, c.created_at"

    private func visible(_ caller: OperationsCaller) -> SQL {
        "(\(caller.owner)::text is null or c.owner = \(caller.owner))"
    }

    private func view(_ row: Row) throws -> CallbackView {
        CallbackView(
            id: try row("id"), url: try row("url"), events: try row("events"), attributes: try row("attributes"),
            createdAt: try row("created_at"), secret: nil)
    }
}
