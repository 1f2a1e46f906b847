import Base
import Database
import Foundation
import Keys

/// A software id, e.g. `ch.eduid.app`.
public struct App: Sendable {
    public let id: String
    public let name: String
    /// Of the first generation: its registrations may leave out what the device says of itself, and nothing else.
    public let isLegacy: Bool
    /// Of all its versions, those to come too.
    public let status: AppVersion.Status
    /// Attributes of a person that its instances are told; `nil` for all.
    public let claims: [String]?
    /// To which it belongs, if to any.
    public let institution: String?
    public let createdAt: Date

    static let columns: SQL = "id, name, legacy, status, claims, institution, created_at"

    init(_ row: Row) throws(DatabaseError) {
        (id, name, isLegacy, createdAt) = (
            try row("id"), try row("name"), try row("legacy"), try row("created_at")
        )
        (status, claims, institution) = (try row("status"), try row("claims"), try row("institution"))
    }

    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "legacy": .bool(isLegacy), "status": .string(status.rawValue),
            "claims": claims.map { JSONValue(strings: $0) } ?? .null, "institution": JSONValue(institution),
            "created_at": .string(createdAt.rfc3339),
        ]
    }
}

/// A release of an app; its key is in every binary, so it names the software, never the device.
public struct AppVersion: Sendable {
    public enum Status: String, Sendable, SQLEncodable, SQLDecodable { case allowed, refused }

    /// `APP.VERSION`, the `iss` of registrations.
    public let id: String
    public let app: String
    public let version: String
    /// Greater than that of all versions added before.
    public let ordinal: Int64
    public let kid: String
    public let thumbprint: String
    public let jwk: JSONValue
    public let status: Status
    /// As its app is.
    public let isLegacy: Bool
    /// Of the app.
    let appStatus: Status
    /// What its operators say of it, for themselves.
    public let note: String?
    public let createdAt: Date
    /// Of the row: another one after each change.
    private let rowVersion: String

    /// Neither it nor its app is refused.
    var isAllowed: Bool { status == .allowed && appStatus == .allowed }

    /// Holds while the row is the one that was read, and the app has the status that was read with it.
    var isUnchanged: SQL {
        """
        exists (select from app_version v join app a on a.id = v.app
            where v.id = \(id) and v.xmin::text = \(rowVersion) and a.status = \(appStatus))
        """
    }

    static let columns = reading(appStatus: "(select a.status from app a where a.id = v.app)")

    /// `appStatus` where the row of the app is read, and held, with that of the version.
    static func reading(appStatus: SQL) -> SQL {
        """
        v.id, v.app, v.version, v.ordinal, v.kid, v.thumbprint, v.jwk, v.status, v.note, v.created_at,
            v.xmin::text as row_version, \(appStatus) as app_status,
            (select a.legacy from app a where a.id = v.app) as legacy
        """
    }

    init(_ row: Row) throws(DatabaseError) {
        (id, app, version, ordinal) = (try row("id"), try row("app"), try row("version"), try row("ordinal"))
        (kid, thumbprint, jwk) = (try row("kid"), try row("thumbprint"), try row("jwk"))
        (status, createdAt, rowVersion) = (try row("status"), try row("created_at"), try row("row_version"))
        isLegacy = try row("legacy")
        (appStatus, note) = (try row("app_status"), try row("note"))
    }

    public var json: JSONValue {
        [
            "id": .string(id), "app": .string(app), "version": .string(version), "kid": .string(kid),
            "thumbprint": .string(thumbprint),
            "status": .string(status.rawValue), "note": JSONValue(note), "created_at": .string(createdAt.rfc3339),
        ]
    }
}
