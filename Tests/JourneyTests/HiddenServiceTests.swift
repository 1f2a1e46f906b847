import Base
import Database
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("a service that apps do not see, since its document leaves out org.ietf.oauth2")
struct HiddenServiceTests {
    private func machine(_ server: TestServer) async throws -> HTTPFields {
        let (id, secret) = server.residents.machine
        let basic = "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"
        let reply = try await server.post(
            "/token", ["grant_type": "client_credentials"], headers: [.authorization: basic])
        return [.authorization: "Bearer \(reply.accessToken)"]
    }

    @Test("is found by its address, but not by an app instance, and by nobody who asks for protocols")
    func byAddress() async throws {
        try await TestServer.with { server in
            let hidden = IndexedService("campus", ["org.example.a"])
            try await hidden.enter(server.database, at: server.time.now)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let machine = try await machine(server)

            for path in ["/protocol-discovery", "/protocol-discovery/service"] {
                let app = try await server.post(
                    path, json: [.string(hidden.base)], headers: phone.dpop(.post, path, token: pat.accessToken))
                let other = try await server.post(path, json: [.string(hidden.base)], headers: machine)
                #expect(app.outcome == "200" && app.json == [])
                #expect(other.outcome == "200" && other.json == [hidden.document], "\(other.body)")
            }
            let names = try await server.post("/protocol-discovery", json: ["org.example.a"], headers: machine)
            #expect(names.outcome == "200" && names.json == [])
        }
    }

    @Test("where the listing is closed, nobody but apps looks around")
    func closed() async throws {
        try await TestServer.with(options: .init(listing: "closed")) { server in
            let reply = try await server.post(
                "/protocol-discovery", json: ["https://campus.example.org"], headers: try await machine(server))

            #expect(reply.outcome == "403 insufficient_scope")
        }
    }
}
