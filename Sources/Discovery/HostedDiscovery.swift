import Federation
import HTTP
import OAuth

extension HostedService {
    /// Discovery as a service: the same answers as the IdP's, at a base of its own, to those who were sent here.
    public static func discovery(_ context: Product.Context) -> HostedService {
        let root = context.root, index = context.index
        let role = ServiceRole(.discovery(root), on: context.dependencies), door = DiscoveryDoor(role: role)
        let path = String(role.realm.base.dropFirst(root.count)), name = role.profile.name + ": "
        let discovery = DiscoveryRoutes(
            root: root, path: path, name: name, query: index.query, signer: index.signer, origins: role.origins,
            door: door.asker)
        let access = ListingAccess(index.listing, clients: context.clients) { try await door.find($0) != nil }
        let listing = ListingRoutes(root: root, path: path, name: name, query: index.query, access: access)
        // Where the index is another server's, what it lists is kept beside.
        let workers = role.elsewhere.map { service in
            let copy = IndexCopy(
                database: context.database, interval: index.copyInterval, clock: context.clock, logger: context.logger
            ) { try await service.issuer.services($0) }
            return [Worker(name: "list of services") { await copy.run() }]
        }
        return HostedService(
            "discovery", role: role, endpoints: discovery.endpoints + listing.endpoints, workers: workers ?? [])
    }
}

extension ServiceProfile {
    /// The name by which eduID's own discovery service is known (protocols/eduid.md, 3.6).
    public static let discoveryProtocol = "io.mobinaut.rsd-discovery"

    /// `root` is the URL of this host's root.
    static func discovery(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "discovery", name: "Protocol discovery", base: root + "/services/discovery",
            offers: [.init(discoveryProtocol, path: "/protocol-discovery", version: "1.0", isHandedOn: false)])
    }
}
