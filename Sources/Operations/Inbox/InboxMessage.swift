import Base
import Database
import Foundation

/// A message for one user, as both sides read it (protocols/operations.md, 1.2; design/backoffice.md, "Inbox").
public struct InboxMessage: Sendable {
    public let id: String
    let userID: String
    let subject: String
    let summary: String
    let body: String
    let type: String
    let isRead: Bool
    let createdAt: Date

    /// Without the body, which lists do not tell.
    static let head: SQL =
        "m.id, m.user_id, m.subject, m.summary, m.type, m.read_at is not null as is_read, m.created_at"
    static let columns: SQL = "\(InboxMessage.head), m.body"

    init(id: String, _ draft: InboxDraft, userID: String, at now: Date) {
        (self.id, self.userID, subject, summary, body, type) = (
            id, userID, draft.subject, draft.summary, draft.body, draft.type
        )
        (isRead, createdAt) = (false, now)
    }

    init(_ row: Row) throws(DatabaseError) {
        (id, userID, subject, summary) = (try row("id"), try row("user_id"), try row("subject"), try row("summary"))
        (body, type, isRead, createdAt) = (try row("body"), try row("type"), try row("is_read"), try row("created_at"))
    }

    /// The back office's.
    public var json: JSONValue {
        [
            "id": .string(id), "userId": .string(userID), "subject": .string(subject), "summary": .string(summary),
            "body": .string(body), "type": .string(type),
            "read": .bool(isRead), "timestamp": .integer(createdAt.milliseconds),
        ]
    }

    /// The phone's; lists have no body.
    func phoneJSON(withBody: Bool) -> JSONValue {
        var members: JSONObject = [
            "id": .string(id), "type": .string(type), "subject": .string(subject), "summary": .string(summary),
        ]
        if withBody { members["body"] = .string(body) }
        members["read"] = .bool(isRead)
        members["timestampCreated"] = .string(MobileDate.text(createdAt))
        return .object(members)
    }
}

/// POST /v2/inbox/messages.
struct InboxDraft: Sendable {
    let userID: String?
    let appID: String?
    let subject: String
    let summary: String
    let body: String
    let type: String
    let silent: Bool

    init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        (userID, appID) = (try members.filled("userId", limit: 255), try members.filled("appId"))
        subject = try members.required("subject")
        summary = try members.required("summary", limit: 1_024, lines: true)
        body = try members.required("body", limit: 32_768, lines: true)
        type = try members.text("type") ?? "text"
        guard ["text", "html"].contains(type) else { throw .request("type is text or html") }
        silent = try members.flag("silent") ?? false
    }
}
