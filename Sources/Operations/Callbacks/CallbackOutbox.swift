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
    private static let hidden: Set<String> = ["data", "parameters"]

    /// `change` is `created`, `claimed`, `attempt_failed`, or the status in lower case.
    func add(_ change: String, of operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        _ = try await add(
            type: "operation.\(change)", kind: "operation", owner: operation.owner, subject: operation.id,
            always: ["operationId", "status"], OperationView.members(of: operation), in: transaction)
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
            let event = "evt_" + OperationID.fresh(randomness), callback: String = try listener("id"),
                attributes: [String]? = try listener("attributes")
            let chosen = members.filtered { name in
                always.contains(name) || (attributes.map { $0.contains(name) } ?? !CallbackOutbox.hidden.contains(name))
            }
            let body: JSONValue = ["type": .string(type), "timestamp": .string(now.rfc3339), "data": .object(chosen)]
            // Should the callback have been removed meanwhile, nobody is told.
            _ = try await transaction.execute(
                """
                insert into operations_callback_event (id, callback, type, subject, body, created_at, next_try,
                    first_try)
                select \(event)::text, c.id, \(type)::text, \(subject)::text, \(body.text)::text,
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
