import Accounts
import Base
import Database
import Foundation
import OAuth

/// A person as a resource of SCIM, both ways.
struct SCIMUser: Sendable {
    static let type = SCIMResourceType.user

    /// Of `/scim/v2`.
    let base: String

    // MARK: Told

    func json(_ person: DirectoryPerson) -> JSONObject {
        let account = person.account, attributes = account.attributes.json
        var members: JSONObject = ["schemas": .array([.string(SCIMUser.type.schema.id)]), "id": .string(person.name)]
        members["externalId"] = person.externalID.map(JSONValue.string)
        members["userName"] = .string(account.username)
        var name = JSONObject()
        name["familyName"] = account.familyName.map(JSONValue.string)
        name["givenName"] = account.givenName.map(JSONValue.string)
        if !name.isEmpty { members["name"] = .object(name) }
        members["displayName"] = account.name.map(JSONValue.string)
        if let email = account.email { members["emails"] = [["value": .string(email), "type": "work"]] }
        members["active"] = .bool(account.status == .active)
        if let institution = person.institution {
            members["groups"] = [
                ["value": .string(institution), "$ref": .string("\(base)/Groups/\(institution)"), "type": "direct"]
            ]
        }
        if !attributes.isEmpty {
            members["schemas"] = JSONValue(strings: [SCIMUser.type.schema.id, SCIMResourceType.federation.id])
            members[SCIMResourceType.federation.id] = .object(
                JSONObject(
                    attributes.map { name, values in
                        let hasOne = PersonAttribute(rawValue: name)?.hasOneValue == true
                        return (name, hasOne ? values.array?.first ?? .null : values)
                    }))
        }
        members["meta"] = [
            "resourceType": "User", "created": .string(account.createdAt.rfc3339),
            "location": .string(location(person.name)), "version": .string(SCIMUser.tag(person)),
        ]
        return members
    }

    func location(_ id: String) -> String { "\(base)/\(SCIMUser.type.endpoint)/\(id)" }

    static func tag(_ person: DirectoryPerson) -> String { "W/\"\(person.version)\"" }

    /// As PATCH works on it: the one address is the primary one.
    func patched(_ person: DirectoryPerson) -> JSONObject {
        var members = json(person)
        if let email = person.account.email {
            members["emails"] = [["value": .string(email), "type": "work", "primary": true]]
        }
        return members
    }

    // MARK: Read

    /// By names in their right case, as `SCIMResourceType.read` and `SCIMPatch` give them.
    static func wanted(_ members: JSONObject) throws -> DirectoryAccounts.Wanted {
        guard let username = members["userName"]?.string, !username.isEmpty else {
            throw SCIMRefusal(.invalidValue, "userName is missing")
        }
        var record = DirectoryRecord(username: username)
        record.externalID = members["externalId"]?.string
        record.name = members["displayName"]?.string
        record.givenName = members["name"]?["givenName"]?.string
        record.familyName = members["name"]?["familyName"]?.string
        record.email = email(members["emails"]?.array ?? [])
        record.isActive = members["active"]?.bool ?? true
        for (name, value) in members[SCIMResourceType.federation.id]?.object ?? [:] {
            guard let attribute = PersonAttribute(rawValue: name) else { continue }
            for text in value.strings ?? [value.string].compactMap(\.self) {
                try record.attributes.add(text, to: attribute)
            }
        }
        return DirectoryAccounts.Wanted(record, password: members["password"]?.string)
    }

    /// The last that is primary, or else of work, or else at all: what was added comes last.
    private static func email(_ emails: [JSONValue]) -> String? {
        let fit = emails.filter { $0["value"]?.string != nil }
        let chosen =
            fit.last { $0["primary"]?.bool == true } ?? fit.last { $0["type"]?.string?.lowercased() == "work" }
            ?? fit.last
        return chosen?["value"]?.string
    }

    /// How SCIM calls a member of a record.
    static func attribute(of member: String) -> String {
        switch member {
        case "username": "userName"
        case "email": "emails"
        case "name": "displayName"
        case "given_name": "name.givenName"
        case "family_name": "name.familyName"
        case "external_id": "externalId"
        default: member
        }
    }

    // MARK: Looked for

    /// In rows `a` of `account`.
    static func column(_ path: SCIMPath) -> SCIMCondition.Column? {
        guard path.schema.map({ $0.lowercased() == type.schema.id.lowercased() }) ?? true else {
            return attributeColumn(path)
        }
        switch (path.attribute.lowercased(), path.part?.lowercased()) {
        case ("id", nil): return .text("a.id::text", folded: false)
        case ("externalid", nil): return .text("a.external_id", folded: false)
        case ("username", nil): return .named("a.username") { AccountStore.isNamed($0) }
        case ("name", "givenname"): return .text("a.given_name", folded: true)
        case ("name", "familyname"): return .text("a.family_name", folded: true)
        case ("displayname", nil): return .text("a.name", folded: true)
        case ("emails", nil), ("emails", "value"): return .text("a.email", folded: true)
        case ("emails", "type"): return .text("case when a.email is not null then 'work' end", folded: true)
        case ("emails", "primary"): return .flag("a.email is not null")
        case ("active", nil): return .flag("a.status = 'active'")
        case ("groups", nil), ("groups", "value"): return .text("a.institution", folded: false)
        case ("meta", "created"): return .time("a.created_at")
        case ("meta", "resourcetype"): return .constant("User")
        default: return nil
        }
    }

    private static func attributeColumn(_ path: SCIMPath) -> SCIMCondition.Column? {
        guard let target = path.target(in: type), target.schema != nil else { return nil }
        return .texts("jsonb_array_elements_text(a.attributes -> \(target.attribute.name)) as v (item)")
    }

    /// What people are sorted by; `nil` where there is no order.
    static func order(_ path: SCIMPath) -> SQL? {
        switch column(path) {
        case .text(let text, let folded): folded ? "lower(\(text))" : text
        case .named(let text, _): "lower(\(text))"
        case .flag(let flag): flag
        case .time(let time): time
        case .texts, .constant, nil: nil
        }
    }
}
