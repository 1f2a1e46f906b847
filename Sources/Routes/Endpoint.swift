import HTTPTypes
import Hummingbird
import Registration

/// One row of the table: what it is in words, and what runs.
public struct Endpoint: Sendable {
    public typealias Handler = @Sendable (Request, RoutedContext) async throws -> Response

    public let method: HTTPRequest.Method
    /// Hummingbird's spelling: `{name}` for a parameter, `**` for the rest.
    public let path: String
    public let summary: String
    public let handler: Handler
    /// For `/openapi.yaml`, where more is told than method, path and summary.
    let shape: EndpointShape?

    public init(_ method: HTTPRequest.Method, _ path: String, _ summary: String, _ handler: @escaping Handler) {
        self.init(method, path, summary, nil, handler)
    }

    private init(_ method: HTTPRequest.Method, _ path: String, _ summary: String, _ shape: EndpointShape?, _ handler: @escaping Handler) {
        (self.method, self.path, self.summary, self.shape, self.handler) = (method, path, summary, shape, handler)
    }

    func telling(_ shape: EndpointShape) -> Endpoint { Endpoint(method, path, summary, shape, handler) }
}

/// All endpoints of the roles that run in this process.
public struct RouteTable: Sendable {
    public let endpoints: [Endpoint]
    let proxies: ProxyTrust
    let nonces: ServerNonce?
    /// Path of the service operations, whose errors have an envelope of their own; `nil` where it does not run.
    let operations: String?

    public init(_ endpoints: [Endpoint], proxies: ProxyTrust = .nobody, nonces: ServerNonce? = nil, operations: String? = nil) {
        (self.endpoints, self.proxies, self.nonces, self.operations) = (endpoints, proxies, nonces, operations)
    }

    /// For people: method, path, what.
    public var text: String {
        let width = (endpoints.map(\.path.count).max() ?? 0) + 2
        return endpoints.map { "\($0.method.rawValue.padded(to: 7))\($0.path.padded(to: width))\($0.summary)" }.joined(separator: "\n")
    }

    /// `security` is that of the connections.
    public func router(security: TransportSecurity? = nil) -> Router<RoutedContext> {
        let router = Router(context: RoutedContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerGuards())
        if let nonces { router.add(middleware: ProofNonces(nonces: nonces)) }
        router.add(middleware: ErrorRendering())
        if let operations { router.add(middleware: OperationsErrors(path: operations)) }
        router.add(middleware: PeerReading(proxies: proxies, security: security))
        for endpoint in endpoints { router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.handler) }
        return router
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
