import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

/// Where web clients register themselves.
struct RegistrationFixture: Sendable {
    static let redirect = "https://client.example/cb"

    let server: TestServer

    /// A metadata document that nothing is wrong with.
    static let usual: JSONObject = [
        "client_name": "Reg", "redirect_uris": [.string(redirect)],
        "grant_types": ["authorization_code", "refresh_token"],
    ]

    func invitation(
        uses: Int = 1, lifetime: TimeInterval = 600, policy: RegistrationPolicy = .init()
    ) async throws -> String {
        let invitations = InvitationStore(clock: server.time.clock, randomness: .system)
        let epoch = try await server.parts.store.generations(of: [.epoch])
        return try await invitations.make(
            uses: uses, lifetime: lifetime, policy: policy, below: epoch, in: server.database
        ).token
    }

    func ask(_ metadata: JSONObject, token: String) async throws -> Reply {
        try await server.post("/register", json: .object(metadata), headers: [.authorization: "Bearer \(token)"])
    }

    /// With an invitation of its own.
    func ask(_ metadata: JSONObject, policy: RegistrationPolicy = .init()) async throws -> Reply {
        try await ask(metadata, token: try await invitation(policy: policy))
    }

    /// Null takes a member out.
    func registered(_ changes: JSONObject = [:], policy: RegistrationPolicy = .init()) async throws -> RegisteredClient
    {
        let reply = try await ask(RegistrationFixture.usual.with(changes), policy: policy)
        try #require(reply.outcome == "201", "registration: \(reply.body)")
        return RegisteredClient(server: server, reply: reply)
    }

    func registeredMachine(_ changes: JSONObject = [:]) async throws -> RegisteredClient {
        // Not by `with`: null is to reach `registered`.
        var all: JSONObject = ["grant_types": ["client_credentials"], "redirect_uris": .null]
        for (name, value) in changes { all[name] = value }
        return try await registered(all)
    }
}

/// A client as it knows itself.
struct RegisteredClient: Sendable {
    let server: TestServer
    let reply: Reply

    var id: String { reply["client_id"] ?? "" }
    var secret: String { reply["client_secret"] ?? "" }
    var token: String { reply["registration_access_token"] ?? "" }
    var path: String { "/register/\(id)" }

    func manage(
        _ method: HTTPRequest.Method, _ metadata: JSONObject? = nil, path: String? = nil, token: String? = nil
    ) async throws -> Reply {
        var headers: HTTPFields = [.authorization: "Bearer \(token ?? self.token)"]
        if metadata != nil { headers[.contentType] = "application/json" }
        return try await server.send(
            method, path ?? self.path, headers: headers, body: metadata.map { JSONValue.object($0).bytes })
    }

    /// The usual document with its client_id and changes.
    func update(_ changes: JSONObject = [:]) async throws -> Reply {
        try await manage(.put, RegistrationFixture.usual.with(["client_id": .string(id)]).with(changes))
    }

    var basic: HTTPFields { [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"] }

    /// Whether an access token lives, whoever asks.
    func lives(_ reply: Reply) async throws -> Bool {
        let node = try #require(NodeID(reply.jti)), row = try #require(try await server.parts.store.find(node))
        return row.isLive(at: server.time.now)
    }

    func askToken(scope: String? = nil) async throws -> Reply {
        try await server.post("/token", ["grant_type": "client_credentials", "scope": scope], headers: basic)
    }
}
