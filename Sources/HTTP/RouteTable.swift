import Base
import Database
import HTTPTypes
import Hummingbird
import Metrics
import OAuth
import Pages
import Registration
import Synchronization
import Traces

/// All endpoints of the roles that run in this process.
public struct RouteTable: Sendable {
    public let endpoints: [Endpoint]
    let proxies: ProxyTrust
    let nonces: ServerNonce?
    private let root: String
    private let allowed: AllowedMethods
    private let brand: Brand
    private let limits: RequestLimits
    private let accessLog: AccessLog?
    private let metrics: HTTPMetrics
    private let traces: TraceRecorder?
    private let errors: [any MiddlewareProtocol<Request, Response, RoutedContext>]

    /// `root` is the public URL of this host's root. `accessLog`: `nil` where none is written. `metrics`: where it is
    /// measured what is asked. `traces`: `nil` where no request is traced. `clock`: of documents that say until when.
    public init(
        root: String, services: [HostedService], database: Database, proxies: ProxyTrust = .nobody,
        nonces: ServerNonce? = nil, brand: Brand = .pando, drain: Drain? = nil,
        limits: RequestLimits = .none, accessLog: AccessLog? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory, traces: TraceRecorder? = nil,
        clock: WallClock = .system
    ) {
        (self.brand, self.limits, self.traces) = (brand, limits, traces)
        self.accessLog = accessLog
        var endpoints =
            (HealthRoutes.endpoints(database, drain) + BrandRoutes.endpoints(brand, root: root)
            + SecurityTxt.endpoints(brand, root: root, clock: clock)).tagged("server")
        for service in services {
            if let role = service.role {
                endpoints += ServiceRoutes.endpoints(role, root: root).tagged(service.name)
            }
            endpoints += service.endpoints.tagged(service.name)
        }
        self.root = root
        endpoints += [ServiceRoutes.list(services.compactMap(\.role))].tagged("metadata")
        // It tells of itself, too.
        let told = endpoints + [RouteTable.description { "" }], schemas = RouteTable.schemas(services)
        let document = WrittenOnce { OpenAPIDocument(issuer: root, endpoints: told, schemas: schemas).text }
        endpoints.append(RouteTable.description { document.text })
        (self.endpoints, self.proxies, self.nonces, errors) = (
            endpoints, proxies, nonces, services.compactMap(\.errors)
        )
        allowed = AllowedMethods(endpoints)
        self.metrics = HTTPMetrics(metrics, routes: endpoints.map(\.path))
    }

    private static func description(_ text: @escaping @Sendable () -> String) -> Endpoint {
        Endpoint(.get, "/openapi.yaml", "This description") { _, _ in
            Answer.text(text(), type: "application/yaml", headers: [.accessControlAllowOrigin: "*"])
        }.telling(.description).named("describe").tagged("server").forOrigins(.any)
    }

    /// Once each: products that stand on another tell what that one does.
    private static func schemas(_ services: [HostedService]) -> [OpenAPISchema] {
        var names: Set<String> = []
        let grants = services.compactMap(\.role).first?.tokens.grantTypes ?? []
        let all =
            OpenAPISchema.shared + OpenAPISchema.index + OpenAPISchema.tokenRequests(grants, isService: true)
        return (all + services.flatMap(\.schemas)).filter { names.insert($0.name).inserted }
    }

    /// For people: method, path, what.
    public var text: String {
        let width = (endpoints.map(\.path.count).max() ?? 0) + 2
        return endpoints.map { "\($0.method.rawValue.padded(to: 7))\($0.path.padded(to: width))\($0.summary)" }.joined(
            separator: "\n")
    }

    /// What an address takes, by its path below this host's root; none where there is nothing. Preflights ask here too.
    public func allowedMethods(_ path: String) -> [HTTPRequest.Method] { allowed.at(path) }

    /// `security` is that of the connections.
    public func router(security: TransportSecurity? = nil) -> Router<RoutedContext> {
        let router = Router(context: RoutedContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestRecord(proxies: proxies, metrics: metrics, accessLog: accessLog, traces: traces))
        router.add(middleware: AnswerGuards(allowed: allowed))
        router.add(middleware: CrossOrigin(root: root, endpoints: endpoints, limit: limits.address))
        if let nonces { router.add(middleware: ProofNonces(nonces: nonces)) }
        router.add(middleware: ErrorRendering(brand: brand))
        for errors in errors { router.add(middleware: errors) }
        router.add(middleware: PeerReading(proxies: proxies, security: security))
        if let address = limits.address { router.add(middleware: AddressLimiting(limit: address)) }
        router.add(middleware: WrongMethods(allowed: allowed))
        for endpoint in endpoints + Preflight.endpoints(endpoints, allowed: allowed) {
            let page = endpoint.isPage ? PagePlace.around(endpoint.handler, brand) : endpoint.handler
            let handler = limits.around(endpoint, page)
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: handler)
        }
        return router
    }
}

/// A text that is made when somebody first asks for it: most processes of tests, and commands, are never asked.
private final class WrittenOnce: Sendable {
    private let made = Mutex<String?>(nil)
    private let write: @Sendable () -> String

    init(_ write: @escaping @Sendable () -> String) { self.write = write }

    var text: String {
        made.withLock { made in
            let text = made ?? write()
            made = text
            return text
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
