import Base
import Database
import Foundation

/// Rows of `phone_push`: written in the transaction of what they tell, sent by `PhonePushSender`, never inline. None
/// for phones that nothing reaches. Whoever sends is woken by the table itself, with the commit.
struct PhonePushOutbox: Sendable {
    static let channel = "pando_operations_push"
    /// How long it is worth telling what is over.
    static let afterwards: TimeInterval = 600

    let ways: PhonePushWays
    let clock: WallClock

    /// Whom a push is for.
    private struct Addressees {
        let user: String
        let application: String
        var bound: String? = nil
        var flag: String? = nil
    }

    /// Title and body as each phone asked for when it told its address; a push has no Accept-Language.
    func began(_ operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        guard let user = operation.userID, !operation.silent else { return }
        let whom = Addressees(
            user: user, application: operation.application, bound: operation.boundTo, flag: operation.flag)
        let languages = try await transaction.query(
            "select distinct r.push_language from phone_registration r where \(reached(whom))")
        for row in languages {
            let language: String? = try row("push_language"), words = OperationRendering(language).words(operation)
            let message: JSONObject = [
                "title": .string(words.title), "body": .string(words.message),
                "payload": [
                    "messageType": "mtoken.operationInit", "operationId": .string(operation.id),
                    "operationName": .string(operation.type),
                ],
            ]
            _ = try await transaction.execute(
                adding(
                    message, to: whom, until: operation.expiresAt,
                    and: "r.push_language is not distinct from \(language)"))
        }
    }

    func finished(_ operation: PhoneOperation, in transaction: any SQLExecutor) async throws {
        if let statement = finishing(operation) { _ = try await transaction.execute(statement) }
    }

    /// As `finished`, the statement that writes it, if there is a row in `rows`: what that statement's own `with` has
    /// done. `nil`: nobody is told.
    func finishing(_ operation: PhoneOperation, each rows: SQL? = nil) -> SQL? {
        guard let user = operation.userID, !operation.silent,
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
            message,
            to: Addressees(
                user: user, application: operation.application, bound: operation.boundTo, flag: operation.flag),
            until: clock.now().addingTimeInterval(PhonePushOutbox.afterwards), each: rows)
    }

    func inbox(_ message: InboxMessage, of application: String, in transaction: any SQLExecutor) async throws {
        let push: JSONObject = [
            "title": .string(message.subject), "body": .string(message.summary),
            "payload": ["messageType": "mtoken.inboxMessage.new", "inboxId": .string(message.id)],
        ]
        _ = try await transaction.execute(
            adding(
                push, to: Addressees(user: message.userID, application: application),
                until: clock.now().addingTimeInterval(86_400)))
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

    private func adding(
        _ message: JSONObject, to whom: Addressees, until: Date, and condition: SQL = "true", each rows: SQL? = nil
    ) -> SQL {
        let now = clock.now(), source: SQL = rows.map { "\($0) cross join" } ?? ""
        return """
            insert into phone_push (id, registration, payload, created_at, expires_at, next_try)
            select gen_random_uuid()::text, r.id, \(JSONValue.object(message).text)::json, \(now)::timestamptz,
                \(until)::timestamptz, \(now)::timestamptz
            from \(source) phone_registration r
            where \(reached(whom)) and \(condition)
            """
    }

    private func reached(_ whom: Addressees) -> SQL {
        """
        r.application = \(whom.application) and r.user_id = \(whom.user)
            and (\(whom.bound)::text is null or r.id = \(whom.bound))
            and (\(whom.flag)::text is null or \(whom.flag) = any (r.flags)) and \(ways.reaches(at: clock.now()))
        """
    }
}

/// What the settings reach; beside them stand the credentials of apps, in `phone_application_push`.
public struct PhonePushWays: Sendable {
    /// Takes pushes for every phone.
    public let hasWebhook: Bool
    /// Providers that the settings have credentials of, for the server's own app.
    public let providers: [String]

    public init(hasWebhook: Bool = false, providers: [String] = []) {
        (self.hasWebhook, self.providers) = (hasWebhook, providers)
    }

    /// Whether a push reaches `phone_registration r`.
    func reaches(at now: Date) -> SQL {
        let addressed: SQL = "\(PhoneRegistration.isActive(at: now)) and r.push_token is not null"
        guard !hasWebhook else { return addressed }
        let own: SQL = """
            exists (select from phone_application_push c where c.application = r.application
                and c.provider = r.push_platform)
            """
        guard !providers.isEmpty else { return "\(addressed) and \(own)" }
        return """
            \(addressed) and (\(own) or (r.owner = \(OperationsCaller.idpOwner)
                and r.push_platform = any (\(providers))))
            """
    }
}
