import Base
import Foundation
import Hummingbird
import PandoClient
import SmallApp
import SmallService
import TestSupport
import Testing
import TokenTree

@Suite("examples/SmallApp and examples/SmallService, over HTTP")
struct ExamplesTests {
    /// A server, the service beside it, and an app with a person of the server's.
    private static func with(_ body: @escaping @Sendable (LiveServer, SmallApp) async throws -> Void) async throws {
        try await LiveServer.with { server in
            try await Transport.withAsyncHTTPClient { transport in
                let port = try await LiveServer.freePort(), base = "http://127.0.0.1:\(port)", key = SigningKey()
                let service = try SmallService(issuer: server.issuer, base: base, transport: transport)
                let jwk = try JSONReader.read(try key.jwk.bytes())
                try await server.add(app: SmallApp.bundle, version: "1", jwk: jwk)
                try await server.add(person: "ada")
                let app = SmallApp(
                    issuer: server.issuer, version: AppVersion(app: SmallApp.bundle, version: "1", key: key),
                    transport: transport)
                try await Self.serving(service, at: port) {
                    try await server.add(service: "greetings", base: base, claims: ["name"])
                    try await body(server, app)
                }
            }
        }
    }

    private static func serving(
        _ service: SmallService, at port: Int, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (running, continuation) = AsyncStream<Void>.makeStream()
        let application = Application(
            router: service.router(), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in continuation.yield() }, logger: .quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await application.run()
            }
            for await _ in running {
                try await body()
                break
            }
            group.cancelAll()
        }
    }

    @Test("the app registers, logs in, finds the service, and is greeted by the name that was released")
    func greeted() async throws {
        try await Self.with { _, app in
            let greetings = try await app.connect(username: "ada", password: LiveServer.password)

            #expect(try await greetings.greeting() == "Hello, Ada!")
            #expect(try await greetings.greeting() == "Hello, Ada!")
        }
    }

    @Test("what the server revokes, the service hears of: the app's token is dead there")
    func revoked() async throws {
        try await Self.with { server, app in
            let greetings = try await app.connect(username: "ada", password: LiveServer.password)
            _ = try await greetings.greeting()

            try await greetings.instance.disconnect()
            try await server.sendEvents()

            let refusal = await #expect(throws: OAuthError.self) { try await greetings.greeting() }
            #expect(refusal?.status == 401 && refusal?.code == .invalidToken)
        }
    }

    @Test("a wrong password is access_denied, with the server's words")
    func wrongPassword() async throws {
        try await Self.with { _, app in
            let refusal = await #expect(throws: OAuthError.self) {
                try await app.connect(username: "ada", password: "wrong")
            }

            #expect(refusal?.status == 403 && refusal?.code == .accessDenied && refusal?.detail != nil)
        }
    }

    @Test(
        "the README shows the files of the examples",
        arguments: [
            "SmallApp/SmallApp.swift", "SmallService/SmallService.swift", "SmallService/Ledger.swift",
        ])
    func readme(name: String) throws {
        let readme = try String(contentsOf: Checkout.folder("Sources/PandoClient/README.md"), encoding: .utf8)
        let file = try String(contentsOf: Checkout.folder("examples/\(name)"), encoding: .utf8)

        #expect(readme.contains("```swift \(name)\n\(file)```"))
    }
}
