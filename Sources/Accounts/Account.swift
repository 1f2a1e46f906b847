import Base
import Database
import Foundation

/// A person.
public struct Account: Sendable {
    public enum Status: String, Sendable, SQLEncodable, SQLDecodable { case active, suspended }
    public enum RequiredFactor: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case none, any, tiqr, passkey
    }

    public let id: UUID
    public let username: String
    public let email: String?
    public let name: String?
    public let givenName: String?
    public let familyName: String?
    public let status: Status
    public let requiredFactor: RequiredFactor
    public let createdAt: Date
    /// When the person last showed that they read at `email`; `nil`: an operator wrote it.
    public let emailVerifiedAt: Date?
    /// Of the row: another one after each change.
    private let version: String

    /// Holds while the row is the one that was read.
    public var isUnchanged: SQL {
        "exists (select from account a where a.id = \(id) and a.xmin::text = \(version))"
    }

    static let columns: SQL = """
        a.id, a.username, a.email, a.name, a.given_name, a.family_name, a.status, a.required_factor, a.created_at,
            a.email_verified_at, a.xmin::text as account_version
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, username, email, name) = (try row("id"), try row("username"), try row("email"), try row("name"))
        (givenName, familyName) = (try row("given_name"), try row("family_name"))
        (status, requiredFactor, createdAt) = (try row("status"), try row("required_factor"), try row("created_at"))
        (emailVerifiedAt, version) = (try row("email_verified_at"), try row("account_version"))
    }

    public var json: JSONValue {
        [
            "id": .string(id.uuidString.lowercased()), "username": .string(username), "email": JSONValue(email),
            "email_verified": .bool(emailVerifiedAt != nil),
            "name": JSONValue(name),
            "given_name": JSONValue(givenName), "family_name": JSONValue(familyName),
            "status": .string(status.rawValue),
            "required_factor": .string(requiredFactor.rawValue), "created_at": .string(createdAt.rfc3339),
        ]
    }

    /// A claim of OpenID Connect Core, 5.1, by its name.
    public func claim(_ claimName: String) -> JSONValue? {
        switch claimName {
        case "email": email.map(JSONValue.string)
        case "name": name.map(JSONValue.string)
        case "given_name": givenName.map(JSONValue.string)
        case "family_name": familyName.map(JSONValue.string)
        case "preferred_username": .string(username)
        default: nil
        }
    }
}
