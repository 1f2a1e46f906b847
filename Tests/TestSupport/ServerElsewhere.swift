import Base
import Commands
import Federation
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OAuth
import Registration
import Server
import Synchronization
import Testing

/// A server of another institution, with a database, keys and a URL of its own, whose services belong to the federation
/// of a test server (docs/roles-apart.md). Between the two is HTTP alone.
public struct ServerElsewhere: Sendable {
    public static let root = "https://far.example.org"

    public let composition: Composition
    private let wire: Wire
    private let line: Line

    /// The way to the issuer.
    final class Line: Sendable {
        struct Cut: Error {}
        let isCut = Mutex(false)
        let asked = Mutex<[String]>([])

        func pass(_ url: String) throws {
            guard !isCut.withLock({ $0 }) else { throw Cut() }
            asked.withLock { $0.append(url) }
        }
    }

    /// `services` run there, each entered at the issuer as `far-NAME`.
    public static func with(
        _ services: [String], of issuer: TestServer, hearing: String = "push", hasLineage: Bool = true,
        failClosed: Int = 0, _ body: @Sendable (ServerElsewhere) async throws -> Void
    ) async throws {
        var credentials: JSONObject = [:]
        for name in services {
            let client = try await enter(name, at: issuer, hearing: hearing, hasLineage: hasLineage)
            credentials[name] = ["client_id": .string(client.id), "client_secret": .string(client.secret)]
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        try Data(JSONValue.object(credentials).bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var options = TestServerOptions(failClosed: failClosed)
        (options.rolesAlone, options.isServing) = (services.joined(separator: ","), true)
        options.flags = [
            "issuer": root, "authorization-server": ServerParts.root, "service-credentials": file.path,
            "service-events": hearing,
        ]
        let settings = try await options.settings(), line = Line()
        try await TestDatabase.with(connections: 4, forSuite: true) { test in
            let composition = try await Composition(
                settings, database: test.database, logger: .quiet, isServing: true, clock: issuer.time.clock,
                databaseClock: .following(issuer.time.clock), secrets: try .ofTests(), signing: .init(),
                http: outgoing(line, to: issuer), administration: .ofServer)
            try await composition.prepare()
            let wire = Wire()
            try await Application(responder: composition.routes().router().buildResponder(), logger: .quiet).test(
                .router
            ) { client in
                wire.connect(client)
                issuer.wire.connect(root) { try await wire.send($0, $1, headers: $2, body: $3) }
                try await body(ServerElsewhere(composition: composition, wire: wire, line: line))
            }
        }
    }

    private static func enter(
        _ name: String, at issuer: TestServer, hearing: String, hasLineage: Bool
    ) async throws -> (id: String, secret: String) {
        let clock = issuer.time.clock, base = try #require(WebAddress("\(root)/services/\(name)"))
        return try await issuer.database.transaction { transaction in
            let (client, secret) = try await WebClientStore(clock: clock, randomness: .system).create(
                WebClientDraft(name: name, grantTypes: ["client_credentials"], scope: ""), in: transaction)
            _ = try await ServiceIndex(clock: clock).add(
                id: "far-\(name)", name: name, base: base, client: client.id, claims: ["email"], rsd: nil,
                allowsLoopback: false, notify: hearing == "poll" ? .poll : .push, hasLineage: hasLineage,
                status: .active, in: transaction)
            return (client.id, secret ?? "")
        }
    }

    private static func outgoing(_ line: Line, to issuer: TestServer) -> OutgoingHTTP {
        OutgoingHTTP(
            fetch: {
                try line.pass($0)
                return try await issuer.wire.fetch($0)
            }, push: { _, _, _ in throw Line.Cut() }, form: { _, _ in throw Line.Cut() },
            callback: { _ in throw Line.Cut() }, send: { _ in throw Line.Cut() }, exchange: { _ in throw Line.Cut() },
            ask: { request, _ in
                try line.pass(request.url)
                var headers = HTTPFields()
                for (name, value) in request.headers { HTTPField.Name(name).map { headers[$0] = value } }
                let reply = try await issuer.wire.send(
                    HTTPRequest.Method(request.method) ?? .get, request.url, headers: headers,
                    body: request.body.isEmpty ? nil : request.body)
                return OutgoingHTTP.Answer(status: reply.status, body: Array(reply.body.utf8))
            })
    }

    /// The issuer cannot be reached from here, or can be again.
    public func cut(_ isCut: Bool) { line.isCut.withLock { $0 = isCut } }
    /// What was asked of the issuer, in order.
    public var asked: [String] { line.asked.withLock { $0 } }

    public static func base(_ service: String) -> String { "\(root)/services/\(service)" }

    public func role(_ service: String) throws -> ServiceRole {
        try #require(composition.services.compactMap(\.role).first { $0.profile.id == service })
    }

    public func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil
    ) async throws -> Reply {
        try await wire.send(method, path, headers: headers, body: body)
    }

    public func post(
        _ path: String, _ form: KeyValuePairs<String, String?>, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let pairs = form.compactMap { pair in pair.value.map { (pair.key, $0) } }
        return try await send(.post, path, headers: headers, body: Array(FormCodec.write(pairs).utf8))
    }
}

extension Phone {
    /// A token shown by DPoP at a server elsewhere.
    public func dpop(
        _ method: HTTPRequest.Method, elsewhere path: String, token: String? = nil
    ) throws -> HTTPFields {
        let url = ServerElsewhere.root + path
        return try dpop(method, path, token: token, changes: ["htu": .string(url)])
    }
}
