import Accounts
import Base
import Database
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Keys
import Logging
import Registration
import Testing
import TokenTree
import Traces

/// The whole server over a schema of its own, with an app, people, services and clients in it.
public struct TestServer: Sendable {
    public let parts: ServerParts
    public let wire: Wire
    public let residents: Residents
    public let secrets: ServerParts.Secrets

    public var database: Database { parts.database }
    public var time: SettableClock { parts.time }
    public var now: Int { parts.time.now.numericDate }

    /// A server of its own, for tests that move the clock or break something.
    public static func with(
        connections: Int = 6, signing: SigningKeys.Settings = .init(), options: TestServerOptions = .init(),
        logger: Logger = .quiet, forSuite: Bool = false,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestDatabase.with(connections: connections, logger: logger, forSuite: forSuite) { test in
            let secrets = try ServerParts.Secrets.ofTests(), wire = Wire(), time = SettableClock()
            let parts = try await ServerParts(
                test.database, secrets: secrets, time: time, wire: wire, signing: signing, options: options,
                logger: logger)
            try await parts.keys.ensure()
            let residents = try await Residents.moveIn(parts)
            let responder = PlacedResponder(
                responder: parts.routes.router().buildResponder(), peer: options.isForwarded ? "127.0.0.1" : nil)
            let application = Application(responder: responder, logger: logger)
            try await application.test(options.isLive ? .live : .router) { client in
                wire.connect(client)
                let server = TestServer(parts: parts, wire: wire, residents: residents, secrets: secrets)
                try await Phase.recording(by: options.traces) { try await body(server) }
            }
        }
    }

    /// The same server whose database does not answer.
    public func withoutDatabase(
        options: TestServerOptions = .init(), _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let away = Database(
            .init(
                connectionString: "host=/nonexistent dbname=none", connections: 1, connectTimeout: 0.2, waitLimit: 0.2),
            logger: .quiet)
        let wire = Wire()
        let parts = try await ServerParts(
            away, secrets: secrets, time: time, wire: wire, options: options, logger: .quiet)
        try await Application(responder: parts.routes.router().buildResponder(), logger: .quiet).test(.router) {
            client in
            wire.connect(client)
            try await body(TestServer(parts: parts, wire: wire, residents: residents, secrets: secrets))
        }
        await away.close()
    }

    /// The same server behind a network that can fall silent, with limits of a second and a half.
    public func withSilentDatabase(_ body: @Sendable (TestServer, SilentRelay) async throws -> Void) async throws {
        guard let server = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else {
            throw TestDatabase.Missing()
        }
        let name: String = try await database.value("select current_database()::text")
        let (relay, conninfo) = try SilentRelay.before("\(server) dbname=\(name)")
        let away = Database(
            .init(connectionString: conninfo, connections: 4, statementTimeout: 1, waitLimit: 1.5), logger: .quiet)
        let wire = Wire()
        let parts = try await ServerParts(away, secrets: secrets, time: time, wire: wire, logger: .quiet)
        try await Application(responder: parts.routes.router().buildResponder(), logger: .quiet).test(.router) {
            client in
            wire.connect(client)
            try await body(TestServer(parts: parts, wire: wire, residents: residents, secrets: secrets), relay)
        }
        await away.close()
        relay.close()
    }

    /// Another process of the same server: with memory of its own, on the same database.
    public func withReplica(
        signing: SigningKeys.Settings = .init(), _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let wire = Wire()
        let parts = try await ServerParts(
            database, secrets: secrets, time: time, wire: wire, signing: signing, logger: .quiet)
        try await Application(responder: parts.routes.router().buildResponder(), logger: .quiet).test(.router) {
            client in
            wire.connect(client)
            try await body(TestServer(parts: parts, wire: wire, residents: residents, secrets: secrets))
        }
    }

    // MARK: HTTP

    public func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil
    ) async throws -> Reply {
        let reply = try await wire.send(method, path, headers: headers, body: body)
        try await AnswersAsTold.look(at: reply, method, path) { try await wire.send(.get, "/openapi.yaml") }
        return reply
    }

    public func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, path, headers: headers)
    }

    /// A form; a `nil` value leaves its parameter out.
    public func post(
        _ path: String, _ form: KeyValuePairs<String, String?>, headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await post(path, body: form.compactMap { pair in pair.value.map { (pair.key, $0) } }, headers: headers)
    }

    /// A form in which a name may come twice.
    public func post(_ path: String, body form: [(String, String)], headers: HTTPFields = [:]) async throws -> Reply {
        let body = FormCodec.write(form)
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(.post, path, headers: headers, body: Array(body.utf8))
    }

    public func post(_ path: String, json: JSONValue, headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await send(.post, path, headers: headers, body: json.bytes)
    }

    /// Sends what is due to web clients, as the worker would.
    public func sendLogouts() async throws { try await parts.logouts.sendDue() }

    /// Sends what is due to the services, as the worker would.
    public func sendEvents() async throws { try await parts.sender.sendDue() }
}

// MARK: One server for a suite

extension TestServer {
    @TaskLocal static var shared: TestServer?

    /// The server of the suite; only in suites with the trait `.server`.
    public static var ofSuite: TestServer { get throws { try #require(shared, "this suite lacks the trait .server") } }
}

/// All tests of the suite live in one server. They bring phones of their own, and leave its clock alone.
public struct SharedServer: SuiteTrait, TestScoping {
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestServer.with(connections: 4, forSuite: true) { server in
            try await TestServer.$shared.withValue(server) { try await function() }
        }
    }
}

extension Trait where Self == SharedServer {
    public static var server: Self { SharedServer() }
}
