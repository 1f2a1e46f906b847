import Accounts
import Base
import Database
import Foundation
import OAuth

/// `/Users`: people.
struct SCIMUsers: SCIMResources {
    let type = SCIMResourceType.user
    let directory: DirectoryAccounts
    let base: String

    private var user: SCIMUser { SCIMUser(base: base) }

    func list(_ query: SCIMQuery, for client: DirectoryClient) async throws -> SCIMListing {
        let condition = try query.filter.map { try SCIMCondition(columns: SCIMUser.column).sql($0) } ?? "true"
        let order = try query.order(SCIMUser.order, last: "a.created_at, a.id"), scope = client.scope
        let database = directory.database, store = directory.store
        let total = try await store.count(where: condition, in: scope, in: database)
        let found =
            query.count == 0
            ? []
            : try await store.list(
                where: condition, in: scope, by: order, offset: query.start - 1, limit: query.count, in: database)
        return SCIMListing(total: total, start: query.start, items: found.map { query.shown.told(user.json($0)) })
    }

    func find(_ id: String, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer {
        guard
            let person = try await directory.store.find(try named(id), in: client.scope, in: directory.database)
        else { throw SCIMRefusal.notFound }
        return answer(200, person, shown)
    }

    func create(_ body: JSONValue, _ shown: SCIMProjection, for client: DirectoryClient) async throws -> SCIMAnswer {
        let wanted = try SCIMUser.wanted(try type.read(body))
        let person = try await directory.create(wanted, in: client.scope.institution, by: client.actor)
        return answer(201, person, shown)
    }

    func replace(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer {
        let wanted = try SCIMUser.wanted(try type.read(body))
        let person = try await directory.change(
            try named(id), in: client.scope, by: client.actor, isCurrent: { condition.holds(of: SCIMUser.tag($0)) },
            making: { _ in wanted })
        return answer(200, person, shown)
    }

    func patch(
        _ id: String, _ body: JSONValue, if condition: SCIMPrecondition, _ shown: SCIMProjection,
        for client: DirectoryClient
    ) async throws -> SCIMAnswer {
        let patch = try SCIMPatch(body, of: type), user = user
        let person = try await directory.change(
            try named(id), in: client.scope, by: client.actor, isCurrent: { condition.holds(of: SCIMUser.tag($0)) },
            making: { try SCIMUser.wanted(try patch.applied(to: user.patched($0))) })
        return answer(200, person, shown)
    }

    func delete(_ id: String, if condition: SCIMPrecondition, for client: DirectoryClient) async throws -> SCIMAnswer {
        try await directory.remove(
            try named(id), in: client.scope, by: client.actor, isCurrent: { condition.holds(of: SCIMUser.tag($0)) })
        return SCIMAnswer(204)
    }

    private func named(_ id: String) throws -> UUID {
        guard let uuid = UUID(uuidString: id) else { throw SCIMRefusal.notFound }
        return uuid
    }

    private func answer(_ status: Int, _ person: DirectoryPerson, _ shown: SCIMProjection) -> SCIMAnswer {
        SCIMAnswer(
            status, shown.told(user.json(person)), location: user.location(person.name), tag: SCIMUser.tag(person))
    }
}
