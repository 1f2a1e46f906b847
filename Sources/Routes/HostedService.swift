import Database
import Federation
import Hummingbird
import Liquid
import OAuth
import Operations
import Registration
import Tiqr

/// A service role with what it serves besides the kit.
public struct HostedService: Sendable {
    public let role: ServiceRole
    /// The room behind the role, where it is tiqr's.
    public let tiqr: TiqrService?
    /// That of operations likewise.
    public let operations: OperationsEndpoints?
    /// That of liquid, which is served at the host's root.
    public let liquid: LiquidEndpoints?

    public init(
        _ role: ServiceRole, tiqr: TiqrService? = nil, operations: OperationsEndpoints? = nil, liquid: LiquidEndpoints? = nil
    ) {
        (self.role, self.tiqr, self.operations, self.liquid) = (role, tiqr, operations, liquid)
    }
}

extension RouteTable {
    /// The whole surface of a process. `root` is the public URL of this host's root; `idp` is `nil` where only services run, `phones` where the people of the
    /// IdP do not log in with tiqr, `approvals` where they do not by operations, `passkeys` where they do not with those.
    public init(root: String, idp: IdentityProvider?, phones: TiqrLogin? = nil, approvals: ApprovalLogin? = nil, passkeys: PasskeyLogin? = nil,
                registrations: RegisterClient? = nil, services: [HostedService], crawler: CrawlHealth? = nil, database: Database,
                proxies: ProxyTrust = .nobody, nonces: ServerNonce? = nil) {
        var endpoints = idp.map { MetadataRoutes.endpoints($0) + TokenRoutes.endpoints($0) + PeopleRoutes.endpoints($0) + DiscoveryRoutes.endpoints($0)
            + AuthorizeRoutes.endpoints($0) + AccountRoutes.endpoints($0, phones, approvals, passkeys) + DeviceRoutes.endpoints($0) } ?? []
        if let idp, let phones {
            let desk = PhoneRequestContext(house: phones, web: idp.web)
            endpoints += TiqrLoginRoutes.endpoints(desk) + AccountPhoneRoutes.endpoints(desk)
        }
        if let idp, let approvals {
            let desk = ApprovalRequestContext(house: approvals, web: idp.web)
            endpoints += ApprovalLoginRoutes.endpoints(desk) + AccountApprovalRoutes.endpoints(desk)
        }
        if let idp, let passkeys {
            let desk = PasskeyRequestContext(house: passkeys, web: idp.web)
            endpoints += PasskeyLoginRoutes.endpoints(desk) + AccountPasskeyRoutes.endpoints(desk)
        }
        if let idp { endpoints += FederationRoutes.endpoints(idp.discovery, database) }
        if let idp { endpoints += OpenIDFederationRoutes.endpoints(idp.federation) }
        if let idp, let crawler { endpoints += CrawlHealthRoutes.endpoints(idp, crawler) }
        if let registrations { endpoints += ClientRoutes.endpoints(registrations, base: root) }
        for service in services {
            endpoints += ServiceRoutes.endpoints(service.role, root: root)
            if service.role.profile.scopes.contains(ViewerRoutes.scope) { endpoints += ViewerRoutes.endpoints(service.role, root: root) }
            if let tiqr = service.tiqr { endpoints += TiqrRoutes.endpoints(service.role, tiqr, root: root) }
            if let operations = service.operations { endpoints += OperationsServiceRoutes.endpoints(service.role, operations, root: root) }
            if let liquid = service.liquid { endpoints += LiquidRoutes.endpoints(liquid, root: root) }
        }
        endpoints.append(ServiceRoutes.list(services.map(\.role)))
        endpoints += OperationsRoutes.endpoints(idp, database: database, services: services.map(\.role))
        let described = endpoints, operations = services.first { $0.operations != nil }?.role
        endpoints.append(Endpoint(.get, "/openapi.yaml", "This description") { _, _ in
            Answer.text(OpenAPIDocument(issuer: root, endpoints: described, schemas: OpenAPISchema.all).text, type: "application/yaml")
        })
        self.init(endpoints, proxies: proxies, nonces: nonces, operations: operations.map { OperationsServiceRoutes.path(of: $0, root: root) })
    }
}
