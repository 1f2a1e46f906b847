import Accounts
import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

/// Somebody who asks the administration API.
struct AdminParty: Sendable {
    static let root = "/admin/api/v1", resource = ServerParts.root + root

    let server: TestServer
    let token: String

    /// A client as `pando admin clients create --grant client_credentials --scope …` makes one.
    static func machine(
        _ server: TestServer, scope: String = "admin", resource: String? = resource
    ) async throws -> AdminParty {
        let app = try await server.webApp("Machine", redirectURIs: [], scope: scope, grants: ["client_credentials"])
        let reply = try await server.post(
            "/token", ["grant_type": "client_credentials", "resource": resource], headers: app.basic)
        try #require(reply.status == 200, "\(reply.body)")
        return AdminParty(server: server, token: reply.accessToken)
    }

    /// A person, by the device flow of an application.
    static func person(
        _ server: TestServer, as user: String, scope: String = "openid admin", resource: String? = resource
    ) async throws -> AdminParty {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        let app = try await server.webApp(
            "Terminal", method: .none, redirectURIs: [], scope: scope, grants: [grant, "refresh_token"])
        let begun = try await server.post("/device_authorization", ["client_id": app.id, "resource": resource])
        try #require(begun.status == 200, "\(begun.body)")
        try await decide(begun, Browser(server), as: user)
        let reply = try await server.post(
            "/token", ["grant_type": grant, "device_code": begun["device_code"], "client_id": app.id])
        try #require(reply.status == 200, "\(reply.body)")
        return AdminParty(server: server, token: reply.accessToken)
    }

    static func decide(_ begun: Reply, _ browser: Browser, as user: String) async throws {
        let first = try await browser.follow(
            try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")"))
        let page = try #require(try await browser.goOn(first, as: user).page)
        #expect(try await browser.submit(page, ["decision": "allow"]).status == 200)
    }

    /// With a role for all of the federation.
    @discardableResult
    static func give(_ role: Role, to user: String, _ server: TestServer) async throws -> RoleGrant {
        let clock = server.time.clock
        let account = try #require(try await AccountStore(clock: clock).find(user, in: server.database))
        let grant = try #require(RoleGrant(account: account.id, role: role))
        _ = try await RoleStore(clock: clock).grant(grant, by: "test", in: server.database)
        return grant
    }

    var headers: HTTPFields { [.authorization: "Bearer \(token)"] }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = nil, headers extra: HTTPFields = [:]
    ) async throws -> Reply {
        var all = headers
        for field in extra { all.append(field) }
        if json != nil { all[.contentType] = "application/json" }
        return try await server.send(method, AdminParty.root + path, headers: all, body: json?.bytes)
    }

    /// A name that nobody has yet.
    static func fresh(_ prefix: String = "app") -> String {
        "\(prefix).\(UUID().uuidString.lowercased().prefix(13))"
    }
}
