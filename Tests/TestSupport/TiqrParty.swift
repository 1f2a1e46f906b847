import Base
import Federation
import Foundation
import HTTPTypes
import Registration
import Testing
import TokenTree

/// A service that relies on tiqr, with a token that it got for itself (design/backoffice.md, "Getting in").
public struct TiqrParty: Sendable {
    public static let scopes = "org.tiqr.enroll org.tiqr.auth"
    public static let path = "/services/tiqr"

    public let server: TestServer
    public let client: WebApp
    public let token: String

    public init(server: TestServer, client: WebApp, token: String) {
        (self.server, self.client, self.token) = (server, client, token)
    }

    public static func movedIn(_ server: TestServer, scope: String = scopes) async throws -> TiqrParty {
        try await server.listTiqr()
        let client = try await server.webApp(
            "relying party", redirectURIs: [], scope: scope, grants: ["client_credentials"])
        let reply = try await ask(server, client)
        try #require(reply.outcome == "200", "token: \(reply.body)")
        return TiqrParty(server: server, client: client, token: reply.accessToken)
    }

    public static func ask(
        _ server: TestServer, _ client: WebApp, resource: String? = ServerParts.tiqrBase
    ) async throws -> Reply {
        try await server.post(
            "/token", ["grant_type": "client_credentials", "resource": resource], headers: client.basic)
    }

    /// With a fresh token.
    public func renewed() async throws -> TiqrParty {
        let reply = try await TiqrParty.ask(server, client)
        try #require(reply.outcome == "200", "token: \(reply.body)")
        return TiqrParty(server: server, client: client, token: reply.accessToken)
    }

    /// `path` is below the service's base, or a whole URL; `token` in place of the own one.
    public func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = nil, headers extra: HTTPFields = [:],
        token: String? = nil
    ) async throws -> Reply {
        var headers = extra
        headers[.authorization] = "Bearer \(token ?? self.token)"
        if json != nil { headers[.contentType] = "application/json" }
        return try await server.send(
            method, path.hasPrefix("http") ? path : TiqrParty.path + path, headers: headers, body: json?.bytes)
    }

    public func startEnrollment(_ members: JSONObject = [:]) async throws -> Reply {
        var body: JSONObject = ["display_name": "Ada Lovelace"]
        for (name, value) in members { body[name] = value }
        let reply = try await call(.post, "/enrollments", .object(body))
        try #require(reply.outcome == "201", "enrollment: \(reply.body)")
        return reply
    }

    public func startAuthentication(_ members: JSONObject = [:]) async throws -> Reply {
        let reply = try await call(.post, "/authentications", .object(members))
        try #require(reply.outcome == "201", "authentication: \(reply.body)")
        return reply
    }

    public func startAuthentication(for identity: PhoneIdentity) async throws -> Reply {
        try await startAuthentication(["identity": .string(identity.name)])
    }

    public func enroll(_ phone: TiqrPhone, _ members: JSONObject = [:]) async throws -> PhoneIdentity {
        try await phone.enroll(try await startEnrollment(members).enrollURL)
    }

    public func status(_ path: String) async throws -> String {
        let reply = try await call(.get, path)
        return reply["status"] ?? reply.outcome
    }

    public func identity(_ identity: PhoneIdentity) async throws -> JSONValue {
        try await call(.get, "/identities/\(identity.name)").json
    }
}

extension TestServer {
    /// Enters tiqr into the index, as the server does for the built-in services when it starts.
    func listTiqr() async throws {
        guard let base = WebAddress(ServerParts.tiqrBase) else { return }
        let index = ServiceIndex(clock: parts.time.clock)
        try await database.atomically { transaction in
            _ = try await transaction.query(
                "select pg_advisory_xact_lock(\(NodeID(digestOf: "tiqr of a test server").lockNumber))")
            guard try await index.find("tiqr", in: transaction) == nil else { return }
            let draft = WebClientDraft(name: "tiqr", grantTypes: ["client_credentials"], scope: "")
            let (client, _) = try await WebClientStore(clock: parts.time.clock, randomness: .system).create(
                draft, in: transaction)
            _ = try await index.add(
                id: "tiqr", name: "tiqr", base: base, client: client.id, claims: [], rsd: nil, allowsLoopback: true,
                status: .active, in: transaction)
        }
    }
}

extension Phone {
    /// A token of a third-party app for tiqr, in the name of `user`; and the service token above it.
    public func tiqrApp(
        as user: String = "ada", scope: String = TiqrParty.scopes
    ) async throws -> (app: Reply, service: Reply) {
        try await server.listTiqr()
        let path = TiqrParty.path + "/token"
        let assertion = try await assertion(try await logIn(as: user), for: ServerParts.tiqrBase)
        let service = try await server.post(
            path, ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
        try #require(service.outcome == "200", "redeem: \(service.body)")
        let code = try appCode(changes: ["aud": .string(ServerParts.tiqrBase + "/token")])
        let app = try await server.post(
            path, ["grant_type": "authorization_code", "code": code, "client_id": Phone.bundle, "scope": scope],
            headers: dpop(.post, path, token: service.accessToken))
        try #require(app.outcome == "200", "app: \(app.body)")
        return (app, service)
    }
}

/// Of what a back office answers.
extension Reply {
    public var id: String { self["id"] ?? "" }
    public var enrollURL: String { self["enroll_url"] ?? "" }
    public var authURL: String { self["auth_url"] ?? "" }
    public var code: Int? { json["responseCode"]?.integer }
}
