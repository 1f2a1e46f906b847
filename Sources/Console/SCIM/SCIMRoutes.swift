import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

extension ConsoleContext {
    /// SCIM 2.0, by which directories provision people (RFC 7644).
    var scimEndpoints: [Endpoint] {
        let session = open(.server, .operatorOfDatabase)
        guard let directory = try? session.model(DirectoryAccounts.self, role: "idp") else { return [] }
        return SCIMRoutes(
            idp: idp, directory: directory,
            institutions: DirectoryInstitutions(database: session.database, clock: session.clock)
        ).endpoints
    }
}

/// `/scim/v2`.
struct SCIMRoutes: Sendable {
    static let root = "/scim/v2"

    private let idp: AuthorizationServer
    private let base: String
    private let users: SCIMUsers
    private let groups: SCIMGroups
    private let pace = SCIMRateLimit()

    init(idp: AuthorizationServer, directory: DirectoryAccounts, institutions: DirectoryInstitutions) {
        (self.idp, base) = (idp, idp.realm.base + SCIMRoutes.root)
        users = SCIMUsers(directory: directory, base: base)
        groups = SCIMGroups(institutions: institutions, base: base)
    }

    var endpoints: [Endpoint] { discovery + resources(users) + resources(groups) + across }

    // MARK: Of a type

    private func resources(_ resources: some SCIMResources) -> [Endpoint] {
        let type = resources.type, place = "\(SCIMRoutes.root)/\(type.endpoint)", one = place + "/{id}",
            name = type.name
        return [
            endpoint(.get, place, "\(type.about), by filter") { client, request, _ in
                SCIMAnswer(200, try await resources.list(try SCIMQuery(request), for: client).json)
            }.telling(.scimList),
            endpoint(.post, place, "Make a \(name)") { client, request, _ in
                let shown = try SCIMQuery(request).shown
                return try await resources.create(try await SCIMBody.read(request), shown, for: client)
            }.telling(.scimCreation(name)),
            endpoint(.post, place + "/.search", "\(type.about), by filter in the body") { client, request, _ in
                let query = try SCIMQuery(try await SCIMBody.read(request))
                return SCIMAnswer(200, try await resources.list(query, for: client).json)
            }.telling(.scimSearch),
            endpoint(.get, one, "One \(name)") { client, request, id in
                try await resources.find(id, try SCIMQuery(request).shown, for: client)
            }.telling(.scimOne(name)),
            endpoint(.put, one, "Replace a \(name)") { client, request, id in
                try await resources.replace(
                    id, try await SCIMBody.read(request), if: SCIMRoutes.condition(request),
                    try SCIMQuery(request).shown, for: client)
            }.telling(.scimReplacement(name)),
            endpoint(.patch, one, "Change parts of a \(name)") { client, request, id in
                try await resources.patch(
                    id, try await SCIMBody.read(request), if: SCIMRoutes.condition(request),
                    try SCIMQuery(request).shown, for: client)
            }.telling(.scimPatch(name)),
            endpoint(.delete, one, "Delete a \(name)") { client, request, id in
                try await resources.delete(id, if: SCIMRoutes.condition(request), for: client)
            }.telling(.scimDeletion),
        ]
    }

    private static func condition(_ request: Request) -> SCIMPrecondition {
        let fields = request.headers[values: .ifMatch]
        return SCIMPrecondition(tags: fields.isEmpty ? nil : fields.joined(separator: ","))
    }

    /// For a client that may; errors in the words of SCIM.
    private func endpoint(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String,
        _ body: @escaping @Sendable (DirectoryClient, Request, String) async throws -> SCIMAnswer
    ) -> Endpoint {
        Endpoint(method, path, summary) { request, context in
            do {
                let client = try await idp.directoryClient(request.presented(idp.realm.base, context))
                try pace.take(1, for: client, at: users.directory.clock.now())
                let answer = try await body(client, request, context.parameters.get("id") ?? "")
                if method == .get, let tag = answer.tag, EntityTags.match(request, tag) {
                    return SCIMAnswer(304, tag: tag).response
                }
                return answer.response
            } catch {
                return SCIMAnswer.refused(error, context)
            }
        }
    }

    // MARK: Of the server

    /// Nobody need show anything: what is told is the same for all.
    private var discovery: [Endpoint] {
        let root = SCIMRoutes.root, issuer = idp.realm.base, base = base
        return [
            open(root + "/ServiceProviderConfig", "What of SCIM there is") { _ in
                SCIMDiscovery.configuration(issuer: issuer, base: base)
            },
            open(root + "/ResourceTypes", "What there is of") { _ in
                SCIMDiscovery.list(SCIMResourceType.all.map { $0.json(base: base) })
            },
            open(root + "/ResourceTypes/{id}", "One type") { id in
                SCIMResourceType.all.first { $0.name == id }?.json(base: base)
            },
            open(root + "/Schemas", "What resources have") { _ in
                SCIMDiscovery.list(SCIMResourceType.schemas.map { $0.json(base: base) })
            },
            open(root + "/Schemas/{id}", "One schema, by its URN") { id in
                SCIMResourceType.schemas.first { $0.id == id }?.json(base: base)
            },
        ]
    }

    private func open(
        _ path: String, _ summary: String, _ body: @escaping @Sendable (String) -> JSONObject?
    ) -> Endpoint {
        Endpoint(.get, path, summary) { request, context in
            do {
                // RFC 7644, 4: whoever filters here gets nothing, as clients would take all for what they asked.
                if try QueryItems(request).items.contains(where: { $0.name.lowercased() == "filter" }) {
                    throw SCIMRefusal(status: 403, "nothing is filtered here")
                }
                guard let found = body(context.parameters.get("id") ?? "") else { throw SCIMRefusal.notFound }
                return SCIMAnswer(200, found).response
            } catch {
                return SCIMAnswer.refused(error, context)
            }
        }.telling(.scimDiscovery)
    }

    private var across: [Endpoint] {
        let root = SCIMRoutes.root
        let missing: @Sendable (DirectoryClient, Request, String) async throws -> SCIMAnswer = { _, _, _ in
            throw SCIMRefusal(status: 501, "no client of a directory is a user: there is no /Me")
        }
        return [
            endpoint(.post, root + "/Bulk", "Many operations at once (RFC 7644, 3.7)") { client, request, _ in
                let bulk = try SCIMBulk(try await SCIMBody.read(request), base: base)
                try pace.take(bulk.operations.count, for: client, at: users.directory.clock.now())
                let answer = try await bulk.run {
                    try await perform($0, for: client)
                } refused: { error in
                    try SCIMRoutes.refusal(error)
                }
                return SCIMAnswer(200, answer)
            }.telling(.scimBulk),
            endpoint(.post, root + "/.search", "Users and groups at once: there is no such search") { _, _, _ in
                throw SCIMRefusal(status: 501, "search /Users or /Groups")
            }.telling(.scimMissing),
        ]
            + [HTTPRequest.Method.get, .post, .put, .patch, .delete].map { method in
                endpoint(method, root + "/Me", "There is none", missing).telling(.scimMissing)
            } + [
                endpoint(.get, root + "/**", "Nothing") { _, _, _ in throw SCIMRefusal.notFound }.telling(.scimNothing)
            ]
    }

    private func perform(_ operation: SCIMBulk.Operation, for client: DirectoryClient) async throws -> SCIMAnswer {
        let parts = operation.path.split(separator: "/").map(String.init)
        let all: [any SCIMResources] = [users, groups]
        guard let resources = all.first(where: { $0.type.endpoint == parts.first }) else { throw SCIMRefusal.notFound }
        let condition = SCIMPrecondition(tags: operation.version), shown = SCIMProjection.everything
        func data() throws -> JSONValue {
            guard let data = operation.data else { throw SCIMRefusal(.invalidSyntax, "data is missing") }
            return data
        }
        switch (operation.method, parts.count) {
        case ("POST", 1): return try await resources.create(try data(), shown, for: client)
        case ("PUT", 2):
            return try await resources.replace(parts[1], try data(), if: condition, shown, for: client)
        case ("PATCH", 2): return try await resources.patch(parts[1], try data(), if: condition, shown, for: client)
        case ("DELETE", 2): return try await resources.delete(parts[1], if: condition, for: client)
        default: throw SCIMRefusal.notFound
        }
    }

    /// What ends the whole request is thrown on: a database that is away is no refusal of one operation.
    private static func refusal(_ error: any Error) throws -> SCIMRefusal {
        if let refusal = SCIMRefusal(error) { return refusal }
        let told = ErrorRendering.refusal(for: error)
        guard told.status < 500 else { throw error }
        return SCIMRefusal(status: told.status, told.description)
    }
}
