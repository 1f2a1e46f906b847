import Base
import Database
import Foundation

/// Rows of `operations_callback_event`: written in the transaction of the change, sent by `CallbackSender`, never
/// inline.
struct CallbackOutbox: Sendable {
    static let channel = "pando_operations_callback"

    let clock: WallClock
    let randomness: Randomness

    /// Told without having been chosen: not what the operation is about.
    private static let hidden: Set<String> = ["data", "parameters", "customProperties", "attributes"]

    /// `change` is `created`, `claimed`, `attempt_failed`, or the status in lower case.
    func add(_ change: String, of operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        _ = try await add(
            type: "operation.\(change)", kind: "operation", owner: operation.owner, subject: operation.id,
            always: CallbackOutbox.told, OperationView.members(of: operation), in: transaction)
    }

    /// Who is told of changes of an operation.
    struct Listener: Sendable {
        let id: String
        /// `nil`: all but what is hidden.
        let attributes: [String]?
    }

    /// Of row `x`, as a column: `null` for nobody.
    static let listeners: SQL = """
        (select json_agg(json_build_array(c.id, c.attributes)) from operations_callback c
            where c.owner = x.owner and 'operation' = any (c.events))
        """

    static func listeners(_ column: JSONValue?) -> [Listener] {
        (column?.array ?? []).compactMap { entry in
            guard let members = entry.array, let id = members.first?.string else { return nil }
            return Listener(id: id, attributes: members.last?.strings)
        }
    }

    /// The query for their ids, if there is a row in `rows`, which keeps them from being removed until the transaction
    /// ends. `passing`: "skip locked" leaves out one that is being removed, else that is waited for.
    static func holding(of owner: String, if rows: SQL, passing: SQL) -> SQL {
        """
        select c.id from \(rows) cross join operations_callback c
        where c.owner = \(owner) and 'operation' = any (c.events) for key share of c \(passing)
        """
    }

    /// As `add`, the statement that writes it if there is a row in `rows`: what that statement's own `with` has done.
    /// The transaction holds the listeners.
    func adding(
        _ change: String, of operation: PhoneOperation, to listeners: [Listener], each rows: SQL
    ) -> SQL {
        let type = "operation.\(change)", now = clock.now(), members = OperationView.members(of: operation)
        let bodies = listeners.map {
            text(type, members, always: CallbackOutbox.told, attributes: $0.attributes, at: now)
        }
        let events = listeners.map { _ in fresh() }
        return """
            insert into operations_callback_event (id, callback, type, subject, body, created_at, next_try, first_try)
            select w.event, w.callback, \(type), \(operation.id), w.body, \(now), \(now), \(now)
            from \(rows) cross join unnest(\(events), \(listeners.map(\.id)), \(bodies)) as w (event, callback, body)
            """
    }

    private static let told: Set<String> = ["operationId", "status"]

    private func fresh() -> String { "evt_" + OperationID.fresh(randomness) }

    private func text(
        _ type: String, _ members: JSONObject, always: Set<String>, attributes: [String]?, at now: Date
    ) -> String {
        let chosen = members.filtered { name in
            always.contains(name) || (attributes.map { $0.contains(name) } ?? !CallbackOutbox.hidden.contains(name))
        }
        return (["type": .string(type), "timestamp": .string(now.rfc3339), "data": .object(chosen)] as JSONValue).text
    }

    /// To be given to the part that keeps registrations.
    var registrations: RegistrationEvents {
        RegistrationEvents { event, executor in
            let registration = event.registration
            var members: JSONObject = [
                "registrationId": .string(registration.id), "registrationStatus": .string(registration.state.rawValue),
                "userId": .string(registration.userID), "appId": .string(registration.appID),
                "flags": JSONValue(strings: registration.flags),
                "failedAttempts": .integer(registration.failed),
                "maxFailedAttempts": .integer(registration.maximumFailed),
            ]
            if let reason = registration.blockedReason { members["blockedReason"] = .string(reason) }
            if let until = registration.blockedUntil { members["timestampBlockedUntil"] = .integer(until.milliseconds) }
            let isTold = try await add(
                type: event.kind.rawValue, kind: "registration", owner: registration.owner, subject: registration.id,
                always: ["registrationId", "registrationStatus"], members, in: executor)
            // With the commit, which is not ours; for few, as commits that notify follow one another.
            if isTold { _ = try await executor.execute("select pg_notify(\(CallbackOutbox.channel), '')") }
        }
    }

    /// Whether anybody is to be told.
    private func add(
        type: String, kind: String, owner: String, subject: String, always: Set<String>, _ members: JSONObject,
        in transaction: any SQLExecutor
    ) async throws -> Bool {
        let now = clock.now()
        let listeners = try await transaction.query(
            "select c.id, c.attributes from operations_callback c where c.owner = \(owner) and \(kind) = any (c.events)"
        )
        for listener in listeners {
            let event = fresh(), callback: String = try listener("id"),
                attributes: [String]? = try listener("attributes")
            let body = text(type, members, always: always, attributes: attributes, at: now)
            // Should the callback have been removed meanwhile, nobody is told.
            _ = try await transaction.execute(
                """
                insert into operations_callback_event (id, callback, type, subject, body, created_at, next_try,
                    first_try)
                select \(event)::text, c.id, \(type)::text, \(subject)::text, \(body)::text,
                    \(now)::timestamptz, \(now)::timestamptz,
                       \(now)::timestamptz
                from operations_callback c where c.id = \(callback) for key share of c
                """)
        }
        return !listeners.isEmpty
    }

    /// After the commit; a lost one costs two minutes.
    func wake(in executor: any SQLExecutor) async {
        _ = try? await executor.execute("select pg_notify(\(CallbackOutbox.channel), '')")
    }
}
