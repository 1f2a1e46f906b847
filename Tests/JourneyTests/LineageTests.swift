import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("access tokens that say what they hang from")
struct LineageTests {
    private func with(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute("update service set lineage = true where id = 'learn'")
            try await body(server)
        }
    }

    private func ask(_ server: TestServer, resource: String?) async throws -> String {
        let machine = server.residents.machine
        let basic = "Basic \(Data("\(machine.id):\(machine.secret)".utf8).base64EncodedString())"
        return try await server.post(
            "/token", ["grant_type": "client_credentials", "scope": "read", "resource": resource],
            headers: [.authorization: basic]
        ).accessToken
    }

    private func waiting(_ server: TestServer) async throws -> [String] {
        try await server.database.query("select service, body from outbox where settled_at is null order by seq").map {
            let body: JSONValue = try $0("body")
            return body["node"]?.string ?? ""
        }
    }

    @Test("a token for such a service has the pseudonyms of its ancestors; others have none")
    func told() async throws {
        try await with { server in
            let token = claims(of: try await ask(server, resource: ServerParts.base))
            let own = claims(of: try await ask(server, resource: nil))

            let lineage = try #require(token["lineage"]?.strings)
            #expect(lineage.count >= 4 && Set(lineage).count == lineage.count)
            let id = try #require(NodeID(token["jti"]?.string ?? ""))
            let row = try #require(try await server.parts.composition.store.find(id, in: server.database))
            let names = server.parts.composition.names
            #expect(lineage == row.lineage.map { names.node($0, at: "learn") })
            #expect(own["lineage"] == nil)
        }
    }

    @Test("the service is told when the token or an ancestor ends, by a name that stands in the token")
    func ended() async throws {
        try await with { server in
            let token = claims(of: try await ask(server, resource: ServerParts.base))
            let other = claims(of: try await ask(server, resource: ServerParts.base))
            let (revocation, machine) = (server.parts.composition.revocation, server.residents.machine.id)
            let lineage = token["lineage"]?.strings ?? [], others = other["lineage"]?.strings ?? []

            let id = try #require(NodeID(token["jti"]?.string ?? ""))
            let row = try #require(try await server.parts.composition.store.find(id, in: server.database))
            _ = try await revocation.revoke(.token(row.family), by: .server)
            let told = try await waiting(server)
            #expect(told.count == 1 && told.allSatisfy { lineage.contains($0) && !others.contains($0) })

            _ = try await revocation.revoke(.virtual(Ancestor(.client, machine)), by: .server)
            let last = try #require(try await waiting(server).last)
            #expect(lineage.contains(last) && others.contains(last))
        }
    }

    @Test("a web login's token for the service has it, and keeps it through a refresh")
    func refreshed() async throws {
        try await with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let draft = AuthorizationDraft(
                app.id, scope: "openid offline_access", changes: ["resource": ServerParts.base])
            let place = try await browser.signIn(draft, as: "ada")
            let first = try await app.redeem(place.answer["code"])
            let second = try await app.refresh(first.refreshToken)

            let (before, after) = (claims(of: first.accessToken), claims(of: second.accessToken))
            #expect(before["aud"] == .string(ServerParts.base) && after["aud"] == .string(ServerParts.base))
            let shared = Set(before["lineage"]?.strings ?? []).intersection(after["lineage"]?.strings ?? [])
            #expect(shared.count >= 5, "\(before) \(after)")
        }
    }

    @Test("without the operator's word no token has it")
    func off() async throws {
        try await TestServer.with { server in
            let token = claims(of: try await ask(server, resource: ServerParts.base))
            #expect(token["aud"] == .string(ServerParts.base) && token["lineage"] == nil)
        }
    }
}
