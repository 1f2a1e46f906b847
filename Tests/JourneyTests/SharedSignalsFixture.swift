import Base
import Federation
import Foundation
import HTTPTypes
import Keys
import TestSupport
import Testing

/// The stream of `learn` on a test server, as its receiver handles it.
struct Receiver: Sendable {
    static let revoked = SignalType.sessionRevoked.rawValue
    static let changed = SignalType.credentialChange.rawValue
    static let verification = SignalType.verification.rawValue
    static let updated = SignalType.streamUpdated.rawValue
    static let push = ServerParts.base + "/signals"

    let server: TestServer
    var credentials: HTTPFields

    init(_ server: TestServer, as client: (id: String, secret: String)? = nil) {
        let client = client ?? server.residents.learn
        self.server = server
        credentials = [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    /// With a token of the service for itself, of this scope.
    func holding(_ scope: String) async throws -> Receiver {
        let reply = try await server.post(
            "/token", ["grant_type": "client_credentials", "scope": scope], headers: credentials)
        var other = self
        other.credentials = [.authorization: "Bearer \(reply.accessToken)"]
        return other
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> Reply {
        var headers = credentials
        if body != nil { headers[.contentType] = "application/json" }
        return try await server.send(method, path, headers: headers, body: body?.bytes)
    }

    func post(_ path: String, _ body: JSONValue) async throws -> Reply { try await send(.post, path, body) }

    /// Its id.
    func create(_ types: [String]? = nil, pushed: Bool = false, header: String? = nil) async throws -> String {
        var body: JSONObject = [:]
        if let types { body["events_requested"] = JSONValue(strings: types) }
        if pushed {
            var delivery: JSONObject = ["method": "urn:ietf:rfc:8935", "endpoint_url": .string(Receiver.push)]
            if let header { delivery["authorization_header"] = .string(header) }
            body["delivery"] = .object(delivery)
        }
        let reply = try await post("/ssf/stream", .object(body))
        #expect(reply.status == 201, "\(reply.body)")
        return reply["stream_id"] ?? ""
    }

    /// What waits in the stream, acknowledged with the next poll.
    func poll(_ id: String, _ members: JSONObject = [:]) async throws -> Reply {
        try await post("/ssf/poll/\(id)", .object(members.with(["returnImmediately": true])))
    }

    func set(_ id: String, to status: String) async throws {
        let reply = try await post("/ssf/status", ["stream_id": .string(id), "status": .string(status)])
        #expect(reply.status == 200 && reply["status"] == status, "\(reply.body)")
    }

    /// Tokens of a poll, the oldest first.
    static func tokens(_ reply: Reply) -> [String] { reply.json["sets"]?.object?.compactMap(\.value.string) ?? [] }

    /// The one event of a token: its type and its members.
    static func event(_ token: String) -> (type: String, body: JSONValue) {
        claims(of: token)["events"]?.object?.members.first.map { ($0.name, $0.value) } ?? ("", .null)
    }

    static func types(_ reply: Reply) -> [String] { tokens(reply).map { event($0).type } }
}
