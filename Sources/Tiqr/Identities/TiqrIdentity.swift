import Base
import Database
import Foundation

/// What one enrolled phone answers for. Its secret is not in here.
public struct TiqrIdentity: Sendable {
    public enum Status: String, Sendable { case new, active, blocked }

    public let identity: String
    public let identifier: String
    public let displayName: String
    public let externalID: String?
    public let status: Status
    public let attemptsLeft: Int
    /// `nil` for a block without end.
    public let blockedUntil: Date?
    public let suite: String
    public let notificationType: String?
    public let createdAt: Date
    public let lastLoginAt: Date?
    let notificationAddress: String?

    /// An address is stored.
    public var push: Bool { notificationAddress != nil }

    static let columns: SQL = """
        i.identity, i.identifier, i.display_name, i.external_id, i.suite, i.failures, i.blocked_for_good,
            i.blocked_until, i.push_type, i.push_address,
        i.created_at, i.last_login_at
        """

    init(_ row: Row, at now: Date) throws(DatabaseError) {
        (identity, identifier, displayName) = (try row("identity"), try row("identifier"), try row("display_name"))
        (externalID, suite, createdAt, lastLoginAt) = (
            try row("external_id"), try row("suite"), try row("created_at"), try row("last_login_at")
        )
        (notificationType, notificationAddress) = (try row("push_type"), try row("push_address"))
        let ladder = BlockLadder(
            forGood: try row("blocked_for_good"), until: try row("blocked_until"), failures: try row("failures"))
        let isBlocked = ladder.minutesLeft(at: now) != nil
        status = isBlocked ? .blocked : lastLoginAt == nil ? .new : .active
        attemptsLeft = isBlocked ? 0 : ladder.attemptsLeft
        blockedUntil = isBlocked && !ladder.forGood ? ladder.until : nil
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "identity": .string(identity), "identifier": .string(identifier), "display_name": .string(displayName),
        ]
        if let externalID { members["external_id"] = .string(externalID) }
        members["status"] = .string(status.rawValue)
        members["attempts_left"] = .integer(attemptsLeft)
        if let blockedUntil { members["blocked_until"] = .string(blockedUntil.rfc3339) }
        members["suite"] = .string(suite)
        members["push"] = .bool(push)
        if let notificationType { members["notification_type"] = .string(notificationType) }
        members["created_at"] = .string(createdAt.rfc3339)
        if let lastLoginAt { members["last_login_at"] = .string(lastLoginAt.rfc3339) }
        return .object(members)
    }
}

public struct IdentityPage: Sendable {
    public let identities: [TiqrIdentity]
    /// To be sent back as `after`; `nil` on the last page.
    public let next: String?

    public var json: JSONValue {
        var members: JSONObject = ["identities": .array(identities.map(\.json))]
        if let next { members["next"] = .string(next) }
        return .object(members)
    }
}
