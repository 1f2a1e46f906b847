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
    public let attributes: PersonAttributes
    /// To which the person belongs, if to any.
    public let institution: String?
    /// What they may administer, as the claim `roles` says it (`RoleGrant.claim`).
    public let roles: [String]
    /// Of the row: another one after each change.
    private let version: String

    /// Holds while the row is the one that was read.
    public var isUnchanged: SQL {
        "exists (select from account a where a.id = \(id) and a.xmin::text = \(version))"
    }

    static let columns: SQL = """
        a.id, a.username, a.email, a.name, a.given_name, a.family_name, a.status, a.required_factor, a.created_at,
            a.email_verified_at, a.attributes, a.institution, \(RoleGrant.claims(of: "a.id")) as roles,
            a.xmin::text as account_version
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, username, email, name) = (try row("id"), try row("username"), try row("email"), try row("name"))
        (givenName, familyName) = (try row("given_name"), try row("family_name"))
        (status, requiredFactor, createdAt) = (try row("status"), try row("required_factor"), try row("created_at"))
        (emailVerifiedAt, version) = (try row("email_verified_at"), try row("account_version"))
        let stored: JSONValue = try row("attributes")
        attributes = PersonAttributes(stored: stored.object ?? [:])
        (institution, roles) = (try row("institution"), try row("roles"))
    }

    public var json: JSONValue {
        [
            "id": .string(id.uuidString.lowercased()), "username": .string(username), "email": JSONValue(email),
            "email_verified": .bool(emailVerifiedAt != nil),
            "name": JSONValue(name),
            "given_name": JSONValue(givenName), "family_name": JSONValue(familyName),
            "status": .string(status.rawValue),
            "required_factor": .string(requiredFactor.rawValue), "created_at": .string(createdAt.rfc3339),
            "attributes": .object(attributes.json), "institution": JSONValue(institution),
            "roles": JSONValue(strings: roles),
        ]
    }

    /// A claim of OpenID Connect Core, 5.1, or what is said in the words of eduPerson and SCHAC, by its name.
    public func claim(_ claimName: String) -> JSONValue? {
        switch claimName {
        case "email": email.map(JSONValue.string)
        case "email_verified": email.map { _ in .bool(emailVerifiedAt != nil) }
        case "name": name.map(JSONValue.string)
        case "given_name": givenName.map(JSONValue.string)
        case "family_name": familyName.map(JSONValue.string)
        case "preferred_username": .string(username)
        case "institution": institution.map(JSONValue.string)
        case "roles": roles.isEmpty ? nil : JSONValue(strings: roles)
        default: attributes.claim(claimName)
        }
    }

    /// Claims by their names, as far as there is something to say. With the address goes whether the person has shown
    /// that they read there: by itself it says nothing of them.
    public func claims(_ names: [String]) -> JSONObject {
        let all = names.flatMap { $0 == "email" ? [$0, "email_verified"] : [$0] }
        return JSONObject(all.compactMap { name in claim(name).map { (name, $0) } })
    }
}
