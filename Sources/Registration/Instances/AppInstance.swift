import Base
import Database
import Foundation

/// One installed app on one device.
public struct AppInstance: Sendable {
    /// Its `client_id`.
    public let id: String
    public let app: String
    /// `APP.VERSION`.
    public let versionID: String
    public let version: String
    public let deviceID: String
    public let name: String?
    public let deviceType: String?
    public let osVersion: String?
    public let thumbprint: String
    public let jwk: JSONValue
    public let account: UUID?
    /// Epoch, version, instance, key, and the signing key under which it registered: all that its token hangs from.
    public let lineage: [NodeID]
    public let createdAt: Date
    public let lastSeen: Date
    public let isRevoked: Bool
    public let isBlocked: Bool

    static let columns: SQL = """
        i.id, i.app, i.version as version_id, (select v.version from app_version v
            where v.id = i.version) as version, i.device_id, i.name, i.device_type,
        i.os_version, i.thumbprint, i.jwk, i.account, i.lineage, i.created_at, i.last_seen,
        exists (select from revocation r where r.node = any (i.lineage)) as is_revoked,
        exists (select from block b where b.instance = i.id) as is_blocked
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, app, versionID, version, deviceID) = (
            try row("id"), try row("app"), try row("version_id"), try row("version"), try row("device_id")
        )
        (name, deviceType, osVersion) = (try row("name"), try row("device_type"), try row("os_version"))
        (thumbprint, jwk, account, lineage) = (
            try row("thumbprint"), try row("jwk"), try row("account"), try row("lineage")
        )
        (createdAt, lastSeen, isRevoked, isBlocked) = (
            try row("created_at"), try row("last_seen"), try row("is_revoked"), try row("is_blocked")
        )
    }

    /// Its own generation: the anchor of all that it holds.
    public var anchor: NodeID { lineage[2] }

    public var status: String { isBlocked ? "blocked" : isRevoked ? "revoked" : "live" }

    /// As `pando admin instances` shows it.
    public var json: JSONValue {
        [
            "id": .string(id), "app": .string(app), "version": .string(version), "device_id": .string(deviceID),
            "name": JSONValue(name),
            "device_type": JSONValue(deviceType), "os_version": JSONValue(osVersion), "thumbprint": .string(thumbprint),
            "account": JSONValue(account?.uuidString.lowercased()), "status": .string(status),
            "created_at": .string(createdAt.rfc3339),
            "last_seen": .string(lastSeen.rfc3339),
        ]
    }

    /// As its owner sees it at `/instances`.
    public func ownersView(current: String?) -> JSONValue {
        [
            "id": .string(id), "name": JSONValue(name), "device_type": JSONValue(deviceType),
            "os_version": JSONValue(osVersion), "app": .string(app),
            "version": .string(version), "created_at": .string(createdAt.rfc3339),
            "last_seen": .string(lastSeen.rfc3339), "current": .bool(id == current),
        ]
    }
}
