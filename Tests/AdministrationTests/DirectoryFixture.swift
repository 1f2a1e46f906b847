import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A directory that provisions people by SCIM.
struct DirectoryFixture: Sendable {
    static let user = "urn:ietf:params:scim:schemas:core:2.0:User"
    static let group = "urn:ietf:params:scim:schemas:core:2.0:Group"
    static let federation = "urn:pando:scim:schemas:extension:federation:2.0:User"

    let server: TestServer
    let token: String

    /// A client as `clients create --grant client_credentials --scope scim --institution ID` makes one.
    static func of(_ institution: String? = nil, in server: TestServer) async throws -> DirectoryFixture {
        let app = try await server.webApp(
            "Directory", redirectURIs: [], scope: "scim read", grants: ["client_credentials"])
        if let institution {
            try await add(institution: institution, to: server)
            _ = try await server.database.execute(
                "update client set institution = \(institution) where id = \(app.id)")
        }
        return DirectoryFixture(server: server, token: try await token(of: app))
    }

    static func add(institution: String, to server: TestServer) async throws {
        _ = try await server.database.execute(
            """
            insert into institution (id, name, created_at) values (\(institution), \(institution), now())
            on conflict do nothing
            """)
    }

    static func token(of app: WebApp, scope: String = "scim") async throws -> String {
        try await app.server.post(
            "/token", ["grant_type": "client_credentials", "scope": scope], headers: app.basic
        ).accessToken
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = Optional.none,
        headers extra: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = extra
        headers[.authorization] = "Bearer \(token)"
        if json != nil { headers[.contentType] = "application/scim+json" }
        return try await server.send(method, "/scim/v2" + path, headers: headers, body: json?.bytes)
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, path, headers: headers)
    }

    /// A user of this name, made.
    func user(_ username: String, _ more: JSONObject = [:]) async throws -> Reply {
        let reply = try await send(.post, "/Users", .object(DirectoryFixture.body(username, more)))
        try #require(reply.status == 201, "\(reply.body)")
        return reply
    }

    static func body(_ username: String, _ more: JSONObject = [:]) -> JSONObject {
        var members: JSONObject = ["schemas": [.string(user)], "userName": .string(username)]
        for (name, value) in more { members[name] = value }
        return members
    }

    func patch(_ path: String, _ operations: JSONValue..., headers: HTTPFields = [:]) async throws -> Reply {
        try await send(
            .patch, path,
            ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)],
            headers: headers)
    }

    /// User names of those for whom it holds, by the alphabet.
    func found(_ filter: String) async throws -> [String] {
        let reply = try await get("/Users?sortBy=userName&\(FormCodec.write([("filter", filter)]))")
        return reply.resources.compactMap { $0["userName"]?.string }
    }
}

extension Reply {
    var resources: [JSONValue] { json["Resources"]?.array ?? [] }
    var id: String { self["id"] ?? "" }
    /// Status and scimType in one word.
    var told: String { self["scimType"].map { "\(status) \($0)" } ?? "\(status)" }
}
