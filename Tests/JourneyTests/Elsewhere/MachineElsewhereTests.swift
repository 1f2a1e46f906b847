import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("machines at a service of another server")
struct MachineElsewhereTests {
    private static let path = "/services/operations/v2/applications"
    private static let base = ServerElsewhere.base("operations")

    private func with(
        hasLineage: Bool, _ body: @escaping @Sendable (TestServer, ServerElsewhere) async throws -> Void
    ) async throws {
        try await TestServer.with { home in
            try await ServerElsewhere.with(["operations"], of: home, hasLineage: hasLineage) {
                try await body(home, $0)
            }
        }
    }

    private func token(
        _ home: TestServer, resource: String = base, scope: String = ServiceElsewhereTests.scope,
        headers: HTTPFields = [:]
    ) async throws -> (client: WebApp, reply: Reply) {
        let client = try await home.webApp("bank", redirectURIs: [], scope: scope, grants: ["client_credentials"])
        var all = client.basic
        for field in headers { all[field.name] = field.value }
        let reply = try await home.post(
            "/token", ["grant_type": "client_credentials", "resource": resource], headers: all)
        try #require(reply.outcome == "200", "token: \(reply.body)")
        return (client, reply)
    }

    private func look(_ far: ServerElsewhere, _ token: String) async throws -> Reply {
        try await far.send(.get, Self.path, headers: [.authorization: "Bearer \(token)"])
    }

    @Test("a token that says what it hangs from is taken without asking, and ends with the event")
    func lineage() async throws {
        try await with(hasLineage: true) { home, far in
            let (client, reply) = try await token(home)

            #expect(try await look(far, reply.accessToken).status == 200)
            #expect(!far.asked.contains { $0.hasSuffix("/introspect") })
            try await home.parts.revocation.revoke(.virtual(Ancestor(.client, client.id)), by: .server)
            try await home.sendEvents()
            #expect(try await look(far, reply.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test("of another the issuer is asked each time: revoked is refused at once, and no answer is 503")
    func asked() async throws {
        try await with(hasLineage: false) { home, far in
            let (client, reply) = try await token(home)

            #expect(try await look(far, reply.accessToken).status == 200)
            #expect(far.asked.contains(ServerParts.root + "/introspect"))
            far.cut(true)
            let away = try await look(far, reply.accessToken)
            // In the form of the service's own errors.
            #expect(away.status == 503, "\(away.body)")
            #expect(away[header: "Retry-After"] == "2", "\(away.body)")
            far.cut(false)
            try await home.parts.revocation.revoke(.virtual(Ancestor(.client, client.id)), by: .server)
            #expect(try await look(far, reply.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test("a token for another resource, of another scope, spoilt or expired is refused")
    func refused() async throws {
        try await with(hasLineage: true) { home, far in
            let good = try await token(home).reply.accessToken
            let elsewhere = try await token(home, resource: Residents.quietBase).reply.accessToken
            let narrow = try await token(home, scope: "read").reply.accessToken
            let spoilt = String(good.dropLast(8)) + "AAAAAAAA"

            for text in [elsewhere, spoilt, "x.y.z"] {
                #expect(try await look(far, text).outcome == "401 invalid_token")
            }
            #expect(try await look(far, narrow).outcome == "403 insufficient_scope")
            home.time.advance(3_601)
            #expect(try await look(far, good).outcome == "401 invalid_token")
        }
    }

    @Test("a token that is bound to a key is taken with a proof by it, made for this server, and not bare")
    func bound() async throws {
        try await with(hasLineage: true) { home, far in
            let phone = try await Phone.registered(in: home)
            let text = try await token(home, headers: try phone.dpop(.post, "/token")).reply.accessToken
            func shown(_ headers: HTTPFields) async throws -> String {
                try await far.send(.get, Self.path, headers: headers).outcome
            }
            let wrongPlace = try phone.dpop(.get, Self.path, token: text)
            let proof = try phone.dpop(.get, elsewhere: Self.path, token: text)

            #expect(try await look(far, text).outcome == "401 invalid_token")
            #expect(try await shown([.authorization: "DPoP \(text)"]) == "401 invalid_dpop_proof")
            #expect(try await shown(wrongPlace) == "401 invalid_dpop_proof")
            #expect(try await shown(proof) == "200")
            #expect(try await shown(proof) == "401 invalid_dpop_proof")
        }
    }
}
