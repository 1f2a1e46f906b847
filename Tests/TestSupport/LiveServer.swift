import Accounts
import Base
import Commands
import Database
import Federation
import HTTP
import Keys
import Logging
import NIOCore
import NIOPosix
import Registration
import Server
import Synchronization

/// The server's own composition behind a listener of its own, with the real clock and network: for clients that know
/// nothing of the server, and services beside it.
public struct LiveServer: Sendable {
    public static let password = "correct horse battery staple"

    public let issuer: String
    public let composition: Composition

    public static func with(_ body: @escaping @Sendable (LiveServer) async throws -> Void) async throws {
        try await TestDatabase.with { test in
            let port = try await freePort(), issuer = "http://127.0.0.1:\(port)"
            let flags = [
                "issuer": issuer, "roles": "idp,crawler", "login-factors": "", "allow-loopback-services": "true",
                "common-passwords": ServerParts.commonPasswordsFile.path,
            ]
            let settings = try Settings(try await ConfigurationValues(flags: flags, environment: [:]))
            let composition = try await Composition(
                settings, database: test.database, logger: .quiet, isServing: false, secrets: .ofTests(),
                administration: .ofServer)
            try await composition.prepare()
            let server = LiveServer(issuer: issuer, composition: composition)
            try await server.listening(at: port) { try await body(server) }
        }
    }

    private func listening(at port: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let (bound, continuation) = AsyncStream<Int>.makeStream()
        let listener = Listener(
            address: "127.0.0.1", port: port, answering: .table(composition.routes()), logger: .quiet
        ) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await listener.run()
            }
            var isBound = false
            for await _ in bound {
                isBound = true
                try await body()
                break
            }
            group.cancelAll()
            guard isBound else { throw PortTaken() }
        }
    }

    private struct PortTaken: Error {}

    /// One that nobody had a moment ago: below those that connections get at their own end (Linux: 32768 and up), which
    /// may be one of these in the next moment, and none twice.
    public static func freePort() async throws -> Int {
        for _ in 0..<100 {
            let port = 20_000 + ports.add(1, ordering: .relaxed).newValue % 12_000
            let bound = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(
                host: "127.0.0.1", port: port)
            guard let channel = try? await bound.get() else { continue }
            try await channel.close()
            return port
        }
        throw PortTaken()
    }

    private static let ports = Atomic(Int.random(in: 0..<12_000))

    // MARK: What an operator enters

    /// An app with one version, whose public key is `jwk`.
    public func add(app: String, version: String, jwk: JSONValue) async throws {
        let apps = AppStore(clock: composition.clock)
        try await composition.database.transaction { transaction in
            if try await apps.app(app, in: transaction) == nil {
                _ = try await apps.create(app: app, name: app, in: transaction)
            }
            _ = try await apps.add(version: version, to: app, key: JSONWebKey(jwk), in: transaction)
        }
    }

    /// A person who may log in with `password`.
    public func add(person name: String) async throws {
        let hash = try await composition.hasher.hash(Self.password)
        let change = AccountChange(email: "\(name)@example.org", name: name.capitalized)
        _ = try await composition.database.transaction { transaction in
            try await AccountStore(clock: composition.clock)
                .create(username: name, password: hash, change: change, in: transaction)
        }
    }

    /// A service of somebody else's, approved and crawled.
    public func add(service id: String, base: String, claims: [String]) async throws {
        let index = ServiceIndex(clock: composition.clock)
        let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
        try await composition.database.transaction { transaction in
            let draft = WebClientDraft(name: id, grantTypes: ["client_credentials"], scope: "")
            let (client, _) = try await clients.create(draft, in: transaction)
            guard let address = WebAddress(base) else { return }
            _ = try await index.add(
                id: id, name: id, base: address, client: client.id, claims: claims, rsd: nil, allowsLoopback: true,
                status: .active, in: transaction)
        }
        for _ in 0..<10 {
            let results = try await composition.crawler.crawl([id], dueOnly: false, dryRun: false)
            if results.first?.outcome != .failed { return }
        }
    }

    /// Sends what is due to the services, as the worker would: a busy machine may need more than one try.
    public func sendEvents() async throws {
        for _ in 0..<120 {
            try await composition.eventSender.sendDue()
            let waiting: Int = try await composition.database.value(
                "select count(*) from delivery where acknowledged < last")
            if waiting == 0 { return }
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
