import Base
import Database
import Foundation
import TokenTree

/// Rows of `phone_inbox_message`.
struct InboxStore: Sendable {
    let clock: WallClock
    let randomness: Randomness

    func add(
        _ draft: InboxDraft, to user: String, of application: String, by caller: OperationsCaller,
        in transaction: any SQLExecutor
    ) async throws -> InboxMessage {
        let message = InboxMessage(id: OperationID.fresh(randomness), draft, userID: user, at: clock.now()),
            owner = try caller.beginner()
        _ = try await transaction.execute(
            """
            insert into phone_inbox_message (id, owner, application, user_id, subject, summary, body, type, created_at)
            values (\(message.id), \(owner), \(application), \(user), \(message.subject), \(message.summary),
                \(message.body), \(message.type), \(message.createdAt))
            """)
        try await OperationsAudit.write(
            "operations.inbox", caller.actor, about: "message:\(message.id)", ["owner": .string(owner)],
            at: message.createdAt,
            in: transaction)
        return message
    }

    // MARK: The phone's side

    func unread(_ phone: PhoneRegistration, in executor: any SQLExecutor) async throws -> Int {
        let rows = try await executor.query(
            "select count(*) as unread from phone_inbox_message m where \(own(phone)) and m.read_at is null")
        guard let row = rows.first else { return 0 }
        return try row("unread")
    }

    /// Newest first; pages count from 0.
    func page(
        _ phone: PhoneRegistration, _ page: InboxPage, in executor: any SQLExecutor
    ) async throws -> [InboxMessage] {
        let chosen: SQL = page.onlyUnread ? "and m.read_at is null" : ""
        return try await executor.query(
            """
            select \(InboxMessage.head), '' as body from phone_inbox_message m where \(own(phone)) \(chosen)
            order by m.number desc limit \(page.size) offset \(page.page * page.size)
            """
        ).map { try InboxMessage($0) }
    }

    func find(_ id: String, _ phone: PhoneRegistration, in executor: any SQLExecutor) async throws -> InboxMessage {
        let rows = try await executor.query(
            "select \(InboxMessage.columns) from phone_inbox_message m where m.id = \(id) and \(own(phone))")
        guard let row = rows.first else { throw InboxStore.unknown }
        return try InboxMessage(row)
    }

    func read(_ id: String, _ phone: PhoneRegistration, in executor: any SQLExecutor) async throws {
        let found =
            try await executor.execute(
                """
                update phone_inbox_message m set read_at = coalesce(m.read_at, \(clock.now())) where m.id = \(id)
                    and \(own(phone))
                """) > 0
        guard found else { throw InboxStore.unknown }
    }

    func readAll(_ phone: PhoneRegistration, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "update phone_inbox_message m set read_at = \(clock.now()) where \(own(phone)) and m.read_at is null")
    }

    private static let unknown = OperationsRefusal.inbox("there is no such message")

    private func own(_ phone: PhoneRegistration) -> SQL {
        "m.application = \(phone.applicationID) and m.user_id = \(phone.userID)"
    }
}

/// Which part of the inbox a phone asks for.
struct InboxPage: Sendable {
    let page: Int
    let size: Int
    let onlyUnread: Bool

    init(_ bytes: [UInt8]) throws(OperationsRefusal) {
        let body = try PhoneBody(bytes)
        guard let page = body["page"]?.integer, (0...1_000_000).contains(page), let size = body["size"]?.integer,
            (1...1_000).contains(size)
        else {
            throw .invalidRequest("page counts from 0, and size is 1 to 1000")
        }
        (self.page, self.size, onlyUnread) = (page, size, body["onlyUnread"]?.bool ?? false)
    }
}
