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
    private static let wanted = "org.example.greetings", other = "org.example.photos"

    /// A server with a person of its own, the service beside it, and the app as it starts, on a state of its own.
    private static func with(
        _ body:
            @escaping @Sendable (LiveServer, _ state: String, _ start: () async throws -> SmallApp) async throws -> Void
    ) async throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("small-\(UUID().uuidString)").path
        defer { for end in ["", ".lock"] { try? FileManager.default.removeItem(atPath: state + end) } }
        try await LiveServer.with { server in
            try await Transport.withAsyncHTTPClient { transport in
                let port = try await LiveServer.freePort(), base = "http://127.0.0.1:\(port)"
                let service = try SmallService(issuer: server.issuer, base: base, transport: transport)
                try await server.add(person: "ada")
                try await Self.serving(service, at: port) {
                    try await server.add(service: "greetings", base: base, claims: ["name"])
                    try await body(server, state) {
                        try await SmallApp(issuer: server.issuer, store: Store(path: state), transport: transport)
                    }
                }
            }
        }
    }

    /// Another version of the app, registered.
    private static func register(_ app: SmallApp, version: String = "1", at server: LiveServer) async throws -> String {
        let key = SigningKey(), jwk = try JSONReader.read(try key.jwk.bytes())
        try await server.add(app: "org.example.small", version: version, jwk: jwk)
        return try await app.register(
            AppVersion(app: "org.example.small", version: version, key: key), name: "Small phone", type: "phone",
            osVersion: "17.4"
        ).id
    }

    private static func logIn(_ app: SmallApp, password: String = LiveServer.password) async throws {
        _ = try await app.logIn(username: "ada", password: password, show: { _ in }, ask: { "" })
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
        try await Self.with { server, _, start in
            let app = try await start()
            _ = try await Self.register(app, at: server)
            try await Self.logIn(app)

            let greetings = try await app.open(Self.wanted, for: Self.other)

            #expect(try await greetings.get()["greeting"]?.string == "Hello, Ada!")
            #expect(try await greetings.get()["greeting"]?.string == "Hello, Ada!")
        }
    }

    @Test("what it needs for the next start is in a file of its owner's: all tokens go on")
    func startedAgain() async throws {
        try await Self.with { server, state, start in
            try await {
                let app = try await start()
                _ = try await Self.register(app, at: server)
                try await Self.logIn(app)
                _ = try await app.open(Self.wanted, for: Self.other).get()
            }()

            let attributes = try FileManager.default.attributesOfItem(atPath: state)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await start().open(Self.wanted, for: Self.other).get()["greeting"]?.string == "Hello, Ada!")
        }
    }

    @Test("the next version of the app takes over what was registered, and the person stays logged in")
    func updated() async throws {
        try await Self.with { server, _, start in
            let app = try await start(), first = try await Self.register(app, at: server)
            try await Self.logIn(app)

            let second = try await Self.register(app, version: "2", at: server)

            #expect(first == second)
            #expect(try await app.person().profile().count == 1)
        }
    }

    @Test("what the server revokes, the service hears of: the app's token is dead there")
    func revoked() async throws {
        try await Self.with { server, state, start in
            let app = try await start()
            _ = try await Self.register(app, at: server)
            try await Self.logIn(app)
            let greetings = try await app.open(Self.wanted, for: Self.other)
            _ = try await greetings.get()

            try await app.disconnect()
            try await server.sendEvents()

            let refusal = await #expect(throws: OAuthError.self) { try await greetings.get() }
            // The token is refused, and then the refresh.
            #expect(refusal?.status == 400 && refusal?.code == .invalidGrant)
            #expect(!FileManager.default.fileExists(atPath: state))
        }
    }

    @Test("a wrong password is access_denied, with the server's words")
    func wrongPassword() async throws {
        try await Self.with { server, _, start in
            let app = try await start()
            _ = try await Self.register(app, at: server)

            let refusal = await #expect(throws: OAuthError.self) { try await Self.logIn(app, password: "wrong") }

            #expect(refusal?.status == 403 && refusal?.code == .accessDenied && refusal?.detail != nil)
        }
    }

    @Test("the README shows the app")
    func readme() throws {
        let name = "SmallApp/SmallApp.swift"
        let readme = try String(contentsOf: Checkout.folder("Sources/PandoClient/README.md"), encoding: .utf8)
        let file = try String(contentsOf: Checkout.folder("examples/\(name)"), encoding: .utf8)

        #expect(readme.contains("```swift \(name)\n\(file)```"))
    }
}
