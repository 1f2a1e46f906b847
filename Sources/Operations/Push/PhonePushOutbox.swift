import Base
import Database
import Foundation

/// Rows of `phone_push`: written in the transaction of what they tell, sent by `PhonePushSender`, never inline. None
/// where no way to the phones is configured.
struct PhonePushOutbox: Sendable {
    static let channel = "pando_operations_push"
    /// How long it is worth telling what is over.
    static let afterwards: TimeInterval = 600

    let isOn: Bool
    let clock: WallClock

    /// Title and body in the operation's own language: a push has no Accept-Language.
    func began(_ operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        guard let user = operation.userID, !operation.silent else { return }
        let words = OperationRendering(nil).words(operation)
        let message: JSONObject = [
            "title": .string(words.title), "body": .string(words.message),
            "payload": [
                "messageType": "mtoken.operationInit", "operationId": .string(operation.id),
                "operationName": .string(operation.type),
            ],
        ]
        try await add(
            message, to: user, of: operation.application, only: operation.boundTo, flag: operation.flag,
            until: operation.expiresAt, in: transaction)
    }

    func finished(_ operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        if let statement = finishing(operation) { _ = try await transaction.execute(statement) }
    }

    /// As `finished`, the statement that writes it, if there is a row in `rows`: what that statement's own `with` has
    /// done. `nil`: nobody is told.
    func finishing(_ operation: PhoneOperation, each rows: SQL? = nil) -> SQL? {
        guard isOn, let user = operation.userID, !operation.silent,
            let result = PhonePushOutbox.result(operation.status)
        else { return nil }
        let message: JSONObject = [
            "payload": [
                "messageType": "mtoken.operationFinished", "operationId": .string(operation.id),
                "operationName": .string(operation.type),
                "mtokenOperationResult": .string(result),
            ]
        ]
        return adding(
            message, to: user, of: operation.application, only: operation.boundTo, flag: operation.flag,
            until: clock.now().addingTimeInterval(PhonePushOutbox.afterwards), each: rows)
    }

    func inbox(_ message: InboxMessage, of application: String, in transaction: any SQLExecutor) async throws {
        let push: JSONObject = [
            "title": .string(message.subject), "body": .string(message.summary),
            "payload": ["messageType": "mtoken.inboxMessage.new", "inboxId": .string(message.id)],
        ]
        try await add(
            push, to: message.userID, of: application, only: nil, flag: nil,
            until: clock.now().addingTimeInterval(86_400), in: transaction)
    }

    static func result(_ status: OperationStatus) -> String? {
        switch status {
        case .pending: nil
        case .approved: "authentication.success"
        case .rejected, .failed: "authentication.fail"
        case .canceled: "operation.canceled"
        case .expired: "operation.timeout"
        }
    }

    private func add(
        _ message: JSONObject, to user: String, of application: String, only bound: String?, flag: String?, until: Date,
        in transaction: any SQLExecutor
    ) async throws {
        guard isOn else { return }
        _ = try await transaction.execute(
            adding(message, to: user, of: application, only: bound, flag: flag, until: until, each: nil))
    }

    private func adding(
        _ message: JSONObject, to user: String, of application: String, only bound: String?, flag: String?, until: Date,
        each rows: SQL?
    ) -> SQL {
        let now = clock.now(), source: SQL = rows.map { "\($0) cross join" } ?? ""
        return """
            insert into phone_push (id, registration, payload, created_at, expires_at, next_try)
            select gen_random_uuid()::text, r.id, \(JSONValue.object(message).text)::json, \(now)::timestamptz,
                \(until)::timestamptz, \(now)::timestamptz
            from \(source) phone_registration r
            where r.application = \(application) and r.user_id = \(user) and r.state = 'ACTIVE'
                and r.push_token is not null
              and (\(bound)::text is null or r.id = \(bound)) and (\(flag)::text is null or \(flag) = any (r.flags))
            """
    }

    /// After the commit; a lost one costs two minutes.
    func wake(in executor: any SQLExecutor) async {
        guard isOn else { return }
        _ = try? await executor.execute("select pg_notify(\(PhonePushOutbox.channel), '')")
    }
}
