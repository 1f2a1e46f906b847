import Accounts
import Base
import Database
import Foundation
import OAuth

/// `/Groups`: institutions. A client of one institution sees that one, and changes none.
struct SCIMGroups: SCIMResources {
    let type = SCIMResourceType.group
    let institutions: DirectoryInstitutions
    let base: String

    static let mostMembers = 5_000

    func list(_ query: SCIMQuery, for client: DirectoryClient) async throws -> SCIMListing {
        let condition = try query.filter.map { try SCIMCondition(columns: SCIMGroups.column).sql($0) } ?? "true"
        let order = try query.order(SCIMGroups.order, last: "i.created_at, i.id"), scope = client.scope
        let store = institutions.store, database = institutions.database
        let total = try await store.count(where: condition, in: scope, in: database)
        let found =
            query.count == 0
            ? []
            : try await store.list(
                where: condition, in: scope, by: order, offset: query.start - 1, limit: query.count, in: database)
        let members = try await members(of: found, query.shown)
        return SCIMListing(
            total: total, start: query.start,
            items: found.map { query.shown.told(json($0, members: members[$0.id] ?? [])) })
    }

    func find(_ id: String, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer {
        guard
            let institution = try await institutions.store.find(id, in: client.scope, in: institutions.database)
        else { throw SCIMRefusal.notFound }
        return try await answer(200, institution, shown)
    }

    func create(_ body: JSONValue, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer {
        try SCIMGroups.require(client)
        let wanted = try SCIMGroups.change(try type.read(body))
        return try await answer(201, try await institutions.create(wanted, by: client.actor), shown)
    }

    func replace(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer {
        try await seen(id, client)
        var wanted = try SCIMGroups.change(try type.read(body))
        // Who leaves members out does not say that there are none (RFC 7644, 3.5.1): of large groups they are not told.
        wanted.leavesOthers = body.member("members") != nil
        let change = wanted
        let institution = try await institutions.change(
            id, by: client.actor, isCurrent: { condition.holds(of: SCIMGroups.tag($0)) }, making: { _ in change })
        return try await answer(200, institution, shown)
    }

    func patch(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer {
        try await seen(id, client)
        let patch = try SCIMPatch(body, of: type)
        let institution = try await institutions.change(
            id, by: client.actor, isCurrent: { condition.holds(of: SCIMGroups.tag($0)) },
            making: { known in
                var change = DirectoryInstitutions.Change(name: known.name, externalID: known.externalID)
                for operation in patch.operations { try operation.apply(to: &change) }
                return change
            })
        return try await answer(200, institution, shown)
    }

    func delete(_ id: String, if condition: SCIMPrecondition, for client: DirectoryClient) async throws -> SCIMAnswer {
        try await seen(id, client)
        try await institutions.remove(
            id, by: client.actor, isCurrent: { condition.holds(of: SCIMGroups.tag($0)) })
        return SCIMAnswer(204)
    }

    // MARK: Who may

    private static func require(_ client: DirectoryClient) throws {
        guard client.scope == .federation else {
            throw SCIMRefusal(
                status: 403, "groups are institutions, which a client of the whole federation makes and changes")
        }
    }

    /// What a client does not see is not there for it, whatever it may do.
    private func seen(_ id: String, _ client: DirectoryClient) async throws {
        guard client.scope == .federation || client.scope == .institution(id) else { throw SCIMRefusal.notFound }
        try SCIMGroups.require(client)
    }

    // MARK: Both ways

    private static func change(_ members: JSONObject) throws -> DirectoryInstitutions.Change {
        guard let name = members["displayName"]?.string, !name.isEmpty else {
            throw SCIMRefusal(.invalidValue, "displayName is missing")
        }
        var change = DirectoryInstitutions.Change(name: name, externalID: members["externalId"]?.string)
        change.coming = try SCIMGroups.people(members["members"])
        return change
    }

    static func people(_ value: JSONValue?) throws -> [UUID] {
        try (value?.array ?? []).map { member in
            guard let id = member["value"]?.string.flatMap({ UUID(uuidString: $0) }) else {
                throw SCIMRefusal(.invalidValue, "members: value is the id of a user")
            }
            return id
        }
    }

    private func members(
        of found: [DirectoryInstitution], _ shown: SCIMProjection
    ) async throws -> [String: [UUID]] {
        let small = found.filter { (1...SCIMGroups.mostMembers).contains($0.people) }.map(\.id)
        guard shown.tells("members"), !small.isEmpty else { return [:] }
        return try await institutions.store.people(
            of: small, limit: SCIMGroups.mostMembers, in: institutions.database)
    }

    private func answer(
        _ status: Int, _ institution: DirectoryInstitution, _ shown: SCIMProjection
    ) async throws -> SCIMAnswer {
        let members = try await members(of: [institution], shown)[institution.id] ?? []
        return SCIMAnswer(
            status, shown.told(json(institution, members: members)), location: location(institution.id),
            tag: SCIMGroups.tag(institution))
    }

    private func location(_ id: String) -> String { "\(base)/\(type.endpoint)/\(id)" }

    private static func tag(_ institution: DirectoryInstitution) -> String { "W/\"\(institution.version)\"" }

    private func json(_ institution: DirectoryInstitution, members people: [UUID]) -> JSONObject {
        var members: JSONObject = ["schemas": [.string(type.schema.id)], "id": .string(institution.id)]
        members["externalId"] = institution.externalID.map(JSONValue.string)
        members["displayName"] = .string(institution.name)
        if !people.isEmpty {
            members["members"] = .array(
                people.map { person in
                    let id = person.uuidString.lowercased()
                    return [
                        "value": .string(id), "$ref": .string("\(base)/\(SCIMUser.type.endpoint)/\(id)"),
                        "type": "User",
                    ]
                })
        }
        members["meta"] = [
            "resourceType": "Group", "created": .string(institution.createdAt.rfc3339),
            "location": .string(location(institution.id)), "version": .string(SCIMGroups.tag(institution)),
        ]
        return members
    }

    // MARK: Looked for

    /// In rows `i` of `institution`.
    static func column(_ path: SCIMPath) -> SCIMCondition.Column? {
        let group = SCIMResourceType.group.schema.id.lowercased()
        guard path.schema.map({ $0.lowercased() == group }) ?? true else { return nil }
        switch (path.attribute.lowercased(), path.part?.lowercased()) {
        case ("id", nil): return .text("i.id", folded: false)
        case ("externalid", nil): return .text("i.directory_id", folded: false)
        case ("displayname", nil): return .text("i.name", folded: true)
        case ("members", nil), ("members", "value"):
            return .texts("(select a.id::text as item from account a where a.institution = i.id) v")
        case ("meta", "created"): return .time("i.created_at")
        case ("meta", "resourcetype"): return .constant("Group")
        default: return nil
        }
    }

    static func order(_ path: SCIMPath) -> SQL? {
        switch column(path) {
        case .text(let text, let folded): folded ? "lower(\(text))" : text
        case .time(let time): time
        default: nil
        }
    }
}

extension SCIMPatch.Operation {
    /// Of a group: the people who come and leave are told one by one, as there may be very many who stay.
    fileprivate func apply(to change: inout DirectoryInstitutions.Change) throws {
        guard case .attribute(let target, let filter) = place else { return }
        switch target.attribute.name {
        case "displayName":
            guard verb != .remove, let name = value?.string, !name.isEmpty else {
                throw SCIMRefusal(.mutability, "displayName is required")
            }
            change.name = name
        case "externalId":
            guard verb == .remove || value == nil || value?.string != nil else {
                throw SCIMRefusal(.invalidValue, "externalId is a string")
            }
            change.externalID = verb == .remove ? nil : value?.string
        default: try members(target, filter, of: &change)
        }
    }

    private func members(
        _ target: SCIMPath.Target, _ filter: SCIMFilter?, of change: inout DirectoryInstitutions.Change
    ) throws {
        guard target.part == nil else { throw SCIMRefusal(.mutability, "members come and leave as a whole") }
        let named = try SCIMGroups.people(try value.flatMap { try target.attribute.read($0) })
        switch (verb, filter) {
        case (.add, nil):
            change.coming += named
            change.leaving.removeAll(where: Set(named).contains)
        case (.replace, nil): (change.coming, change.leaving, change.leavesOthers) = (named, [], true)
        case (.remove, nil) where value == nil:
            (change.coming, change.leaving, change.leavesOthers) = ([], [], true)
        case (.remove, nil): leave(named, &change)
        case (.remove, let filter?): leave(try filter.people, &change)
        default: throw SCIMRefusal(.mutability, "a member is not changed: it comes and leaves")
        }
    }

    private func leave(_ people: [UUID], _ change: inout DirectoryInstitutions.Change) {
        change.coming.removeAll(where: Set(people).contains)
        change.leaving += people
    }
}

extension SCIMFilter {
    /// Of `value eq "ID"`, and several of these with `or`.
    fileprivate var people: [UUID] {
        get throws {
            switch self {
            case .or(let one, let other): return try one.people + other.people
            case .compare(let path, .eq, .string(let id))
            where path.attribute.lowercased() == "value" && path.part == nil:
                return UUID(uuidString: id).map { [$0] } ?? []
            default: throw SCIMFilterParser.refused("members are named by value eq \"ID\"")
            }
        }
    }
}
