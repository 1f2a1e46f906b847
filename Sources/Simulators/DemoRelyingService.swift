import Base
import PandoClient

/// A service that relies on a built-in one, with a token that it gets for itself (design/backoffice.md, "Getting
/// in").
public struct DemoRelyingService: Sendable {
    /// Which built-in service it relies on.
    public enum BuiltIn: String, Sendable, CaseIterable {
        case tiqr
        case operations

        var scope: String {
            switch self {
            case .tiqr: "org.tiqr.enroll org.tiqr.auth"
            case .operations: "com.wultra.operations"
            }
        }

        /// What a client needs for all demos.
        static var scopes: String { allCases.map(\.scope).joined(separator: " ") }
    }

    public let service: BuiltIn
    public let issuer: String
    public let client: DemoCredentials.Client

    private var token = ""

    public init(_ service: BuiltIn, at issuer: String, client: DemoCredentials.Client) {
        (self.service, self.issuer, self.client) = (service, issuer, client)
    }

    public var base: String { "\(issuer)/services/\(service.rawValue)" }

    /// Asks the server who it is, then for a token (RFC 6749, 4.4) for one service (RFC 8707).
    public mutating func obtainToken(
        by wire: DemoWire
    ) async throws -> (metadata: DemoExchange, token: DemoExchange, facts: JSONObject) {
        let recorder = DemoRecorder(), transport = recorder.transport(wire), issuer = self.issuer
        let (server, metadata, _) = try await recorder.record {
            try await AuthorizationServer.discover(issuer, transport: transport)
        }
        let own = WebClient(client.id, of: server, authentication: .secret(client.secret)), scope = service.scope,
            base = self.base
        let (tokens, exchange, _) = try await recorder.record { try await own.token(scope: scope, resource: base) }
        token = tokens.accessToken
        let facts: JSONObject = [
            "scope": exchange.body["scope"] ?? .null, "good_for": .string(base),
            "seconds": exchange.body["expires_in"] ?? .null,
        ]
        return (metadata, exchange, facts)
    }

    /// `path` is below the base; `seconds`: how long the answer may be held (RFC 7240, 4.3).
    public func ask(
        _ method: String, _ path: String, _ members: JSONObject? = nil, wait seconds: Int? = nil
    ) -> DemoRequest {
        var request = DemoRequest(method: method, url: base + path, headers: [("Authorization", "Bearer \(token)")])
        if let members { request.body = .json(.object(members)) }
        if let seconds { request.headers.append(("Prefer", "wait=\(seconds)")) }
        return request
    }
}
