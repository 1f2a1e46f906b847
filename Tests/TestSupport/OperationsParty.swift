import Base
import Federation
import Foundation
import HTTPTypes
import Operations
import PowerAuth
import Registration
import Testing
import TokenTree

/// A service that relies on operations, with a token that it got for itself, an application and the template `payment`
/// (design/backoffice.md).
public struct OperationsParty: Sendable {
    public static let scope = "com.wultra.operations"
    public static let path = "/services/operations"
    public static let payment: JSONValue = [
        "name": "payment", "operationType": "authorize_payment", "dataTemplate": "A1*A${amount}${currency}*I${iban}",
        "maxFailureCount": 3,
        "texts": [
            [
                "language": "en", "title": "Payment", "message": "Pay ${amount} ${currency}?",
                "attributes": [
                    [
                        "id": "amount", "type": "AMOUNT", "text": "Amount",
                        "params": ["amount": "amount", "currency": "currency"],
                    ]
                ],
            ],
            ["language": "cs", "title": "Platba", "message": "Zaplatit?"],
        ],
    ]

    public let server: TestServer
    public let client: WebApp
    public let token: String
    public let sdkConfig: String

    public init(server: TestServer, client: WebApp, token: String, sdkConfig: String) {
        (self.server, self.client, self.token, self.sdkConfig) = (server, client, token, sdkConfig)
    }

    public static func movedIn(_ server: TestServer, scope: String = scope) async throws -> OperationsParty {
        try await server.listOperations()
        let client = try await server.webApp("bank", redirectURIs: [], scope: scope, grants: ["client_credentials"])
        let reply = try await ask(server, client)
        try #require(reply.outcome == "200", "token: \(reply.body)")
        let party = OperationsParty(server: server, client: client, token: reply.accessToken, sdkConfig: "")
        guard scope == Self.scope else { return party }
        let application = try await party.call(.post, "/v2/applications", ["appId": "bank", "name": "Bank"])
        try #require(application.status == 201, "application: \(application.body)")
        try #require(try await party.call(.post, "/v2/templates", payment).status == 201)
        return OperationsParty(
            server: server, client: client, token: reply.accessToken, sdkConfig: application["sdkConfig"] ?? "")
    }

    public static func ask(
        _ server: TestServer, _ client: WebApp, resource: String? = ServerParts.operationsBase
    ) async throws -> Reply {
        try await server.post(
            "/token", ["grant_type": "client_credentials", "resource": resource], headers: client.basic)
    }

    /// `path` is below the service's base; `authorization` in place of the own token.
    public func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = Optional.none,
        headers extra: HTTPFields = [:],
        authorization: String? = nil
    ) async throws -> Reply {
        var headers = extra
        headers[.authorization] = authorization ?? "Bearer \(token)"
        if json != nil { headers[.contentType] = "application/json" }
        return try await server.send(method, OperationsParty.path + path, headers: headers, body: json?.bytes)
    }

    // MARK: Phones

    public var post: PowerAuthPhone.Post { server.phonePost }

    public func startRegistration(_ user: String, _ members: JSONObject = [:]) async throws -> Reply {
        var body: JSONObject = ["userId": .string(user)]
        for (name, value) in members { body[name] = value }
        let reply = try await call(.post, "/v2/registrations", .object(body))
        try #require(reply.status == 201, "registration: \(reply.body)")
        return reply
    }

    /// A phone in use.
    public func phone(_ user: String = "ada", _ system: PowerAuthPhone.System = .ios) async throws -> PowerAuthPhone {
        var phone = try PowerAuthPhone(sdkConfig: sdkConfig, system: system, clock: server.time.clock, post: post)
        try await phone.activate(
            try await startRegistration(user, ["commitPhase": "ON_KEY_EXCHANGE"])["activationQrCodeData"] ?? "")
        return phone
    }

    /// A payment that waits for the phone of `user`.
    public func order(_ user: String? = "ada", _ members: JSONObject = [:]) async throws -> Reply {
        var body: JSONObject = [
            "template": "payment", "parameters": ["amount": "100.50", "currency": "CZK", "iban": "CZ27"],
        ]
        if let user { body["userId"] = .string(user) }
        for (name, value) in members { body[name] = value }
        let reply = try await call(.post, "/v2/operations", .object(body))
        try #require(reply.status == 201, "operation: \(reply.body)")
        return reply
    }
}

/// The Mobile Token API, as the SDK calls it.
extension PowerAuthPhone {
    public static let operations = "/api/auth/token/app/operation"

    /// With a token. `language` is `Accept-Language`.
    public func read(
        _ path: String, _ object: JSONValue? = Optional.none, with token: Token, language: String = "en"
    ) async throws -> PowerAuthReply {
        var body = JSONObject()
        if let object { body["requestObject"] = object }
        return try await post(
            path, [TokenHeader.name: header(token).text, "Accept-Language": language], JSONValue.object(body).bytes)
    }

    public mutating func approve(
        _ operation: Reply, data: String? = nil, _ type: FactorType = .possessionKnowledge,
        isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        let object: JSONValue = [
            "id": .string(operation["operationId"] ?? ""), "data": .string(data ?? operation["data"] ?? ""),
        ]
        return try await signed(
            PowerAuthPhone.operations + "/authorize", "/operation/authorize", ["requestObject": object], type,
            isWrong: isWrong)
    }

    public mutating func reject(
        _ operation: Reply, reason: String = "UNEXPECTED_OPERATION"
    ) async throws -> PowerAuthReply {
        let object: JSONValue = ["id": .string(operation["operationId"] ?? ""), "reason": .string(reason)]
        return try await signed(
            PowerAuthPhone.operations + "/cancel", "/operation/cancel", ["requestObject": object], .possession)
    }
}

extension TestServer {
    /// Enters operations into the index, as the server does for the built-in services when it starts.
    func listOperations() async throws {
        guard let base = WebAddress(ServerParts.operationsBase) else { return }
        let index = ServiceIndex(clock: parts.time.clock)
        try await database.atomically { transaction in
            _ = try await transaction.query(
                "select pg_advisory_xact_lock(\(NodeID(digestOf: "operations of a test server").lockNumber))")
            guard try await index.find("operations", in: transaction) == nil else { return }
            let draft = WebClientDraft(name: "operations", grantTypes: ["client_credentials"], scope: "")
            let (client, _) = try await WebClientStore(clock: parts.time.clock, randomness: .system).create(
                draft, in: transaction)
            _ = try await index.add(
                id: "operations", name: "operations", base: base, client: client.id, claims: [], rsd: nil,
                allowsLoopback: true, status: .active,
                in: transaction)
        }
    }
}

extension Phone {
    /// A token of a third-party app for operations, in the name of `user`.
    public func operationsApp(as user: String = "ada") async throws -> Reply {
        try await server.listOperations()
        let path = OperationsParty.path + "/token"
        let assertion = try await assertion(try await logIn(as: user), for: ServerParts.operationsBase)
        let service = try await server.post(
            path, ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
        try #require(service.outcome == "200", "redeem: \(service.body)")
        let code = try appCode(changes: ["aud": .string(ServerParts.operationsBase + "/token")])
        let app = try await server.post(
            path,
            [
                "grant_type": "authorization_code", "code": code, "client_id": Phone.bundle,
                "scope": OperationsParty.scope,
            ],
            headers: dpop(.post, path, token: service.accessToken))
        try #require(app.outcome == "200", "app: \(app.body)")
        return app
    }
}

/// Of an answer in the envelope.
extension Reply {
    /// Status and code, e.g. `400 ERROR_REQUEST`; the status alone for what is no error of that form.
    public var refusal: String {
        let told = json["responseObject"]
        guard json["status"] == "ERROR", told?["message"]?.string != nil, let code = told?["code"]?.string else {
            return "\(status)"
        }
        return "\(status) \(code)"
    }
}

extension PowerAuthReply {
    public var outcome: String { "\(status) \(code ?? "OK")" }
}
