import Base
import Federation
import Foundation
import Greeting
import HTTP
import HTTPTypes
import Server
import TestSupport
import Testing
import Vocabulary

@Suite("docs/add-a-service.md")
struct AddAServiceTests {
    private static let base = ServerParts.root + "/services/greeting"
    private static let options = TestServerOptions(products: [
        .service("greeting") { .greeting(on: $0.dependencies, root: $0.root) }
    ])

    /// A phone in a server with the example, which the index knows, and the service's token for it.
    private func joined(_ server: TestServer) async throws -> (phone: Phone, service: Reply) {
        let index = ServiceIndex(clock: server.time.clock), address = try #require(WebAddress(Self.base))
        _ = try await server.database.transaction { transaction in
            try await index.add(
                id: "greeting", name: "Greeting", base: address, client: server.residents.machine.id, claims: ["name"],
                rsd: nil,
                allowsLoopback: true, status: .active, in: transaction)
        }
        let phone = try await Phone.registered(in: server)
        let assertion = try await phone.assertion(try await phone.logIn(), for: Self.base)
        let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        return (
            phone, try await server.post("/services/greeting/token", ["grant_type": grant, "assertion": assertion])
        )
    }

    private func authorize(_ phone: Phone, _ service: Reply, scope: String) async throws -> Reply {
        let path = "/services/greeting/token", code = try phone.appCode(changes: ["aud": .string(Self.base + "/token")])
        return try await phone.server.post(
            path, ["grant_type": "authorization_code", "code": code, "client_id": Phone.bundle, "scope": scope],
            headers: phone.dpop(.post, path, token: service.accessToken))
    }

    @Test("the page shows the files of the example")
    func page() throws {
        let text = try String(contentsOf: Checkout.folder("docs/add-a-service.md"), encoding: .utf8)
        for name in ["GreetingRoutes.swift", "HostedGreeting.swift"] {
            let file = try String(contentsOf: Checkout.folder("examples/Greeting/\(name)"), encoding: .utf8)

            #expect(text.contains("```swift \(name)\n\(file)```"), "\(name)")
        }
    }

    @Test("the example is served: its document, its place in the lists, and a greeting by the name that was released")
    func served() async throws {
        try await TestServer.with(options: Self.options) { server in
            let (phone, service) = try await joined(server)
            let app = try await authorize(phone, service, scope: "org.example.greeting")

            let greeting = try await server.get(
                "/services/greeting/greeting", headers: [.authorization: "Bearer \(app.accessToken)"])

            #expect(app.outcome == "200" && greeting.json["greeting"] == "Hello, Ada!", "\(greeting.body)")
            let document = try await server.get("/services/greeting/rsd"), list = try await server.get("/services.txt")
            let home = try await server.get("/")
            #expect(document.json["apis"]?["org.example.greeting"]?["apiLink"]?.string == Self.base + "/greeting")
            #expect(list.body.contains(Self.base + "/rsd") && home.body.contains("Greeting"))
        }
    }

    @Test("without a token it is 401, with one of another service 401, with none of its scopes no token is to be had")
    func refused() async throws {
        try await TestServer.with(options: Self.options) { server in
            let (phone, service) = try await joined(server), path = "/services/greeting/greeting"
            let learn = try await phone.authorizeApp(try await phone.joinService())

            let none = try await server.get(path),
                other = try await server.get(path, headers: [.authorization: "Bearer \(learn.accessToken)"])
            let scope = try await authorize(phone, service, scope: ServerParts.gradesScope)

            #expect(
                none.outcome == "401 invalid_token" && other.outcome == "401 invalid_token"
                    && scope.outcome == "400 invalid_scope")
        }
    }
}
