import Database
import Hummingbird
import OAuth
import Registration

/// All endpoints of the roles that run in this process.
public struct RouteTable: Sendable {
    public let endpoints: [Endpoint]
    let proxies: ProxyTrust
    let nonces: ServerNonce?
    private let root: String
    private let errors: [any MiddlewareProtocol<Request, Response, RoutedContext>]

    /// `root` is the public URL of this host's root.
    public init(
        root: String, services: [HostedService], database: Database, proxies: ProxyTrust = .nobody,
        nonces: ServerNonce? = nil
    ) {
        var endpoints = HealthRoutes.endpoints(database)
        for service in services {
            if let role = service.role { endpoints += ServiceRoutes.endpoints(role, root: root) }
            endpoints += service.endpoints
        }
        endpoints.append(ServiceRoutes.list(services.compactMap(\.role)))
        let document = OpenAPIDocument(issuer: root, endpoints: endpoints, schemas: RouteTable.schemas(services)).text
        endpoints.append(
            Endpoint(.get, "/openapi.yaml", "This description") { _, _ in
                Answer.text(document, type: "application/yaml", headers: [.accessControlAllowOrigin: "*"])
            }.forOrigins(.any))
        self.root = root
        (self.endpoints, self.proxies, self.nonces, errors) = (
            endpoints, proxies, nonces, services.compactMap(\.errors)
        )
    }

    /// Once each: products that stand on another tell what that one does.
    private static func schemas(_ services: [HostedService]) -> [OpenAPISchema] {
        var names: Set<String> = []
        return ([.oauthError] + services.flatMap(\.schemas)).filter { names.insert($0.name).inserted }
    }

    /// For people: method, path, what.
    public var text: String {
        let width = (endpoints.map(\.path.count).max() ?? 0) + 2
        return endpoints.map { "\($0.method.rawValue.padded(to: 7))\($0.path.padded(to: width))\($0.summary)" }.joined(
            separator: "\n")
    }

    /// `security` is that of the connections.
    public func router(security: TransportSecurity? = nil) -> Router<RoutedContext> {
        let router = Router(context: RoutedContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerGuards())
        router.add(middleware: CrossOrigin(root: root, endpoints: endpoints))
        if let nonces { router.add(middleware: ProofNonces(nonces: nonces)) }
        router.add(middleware: ErrorRendering())
        for errors in errors { router.add(middleware: errors) }
        router.add(middleware: PeerReading(proxies: proxies, security: security))
        for endpoint in endpoints + Preflight.endpoints(endpoints) {
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.handler)
        }
        return router
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
