import HTTP
import OAuth

extension HostedService {
    public static func viewer(on dependencies: ServiceRole.Dependencies, root: String) -> HostedService {
        .viewer(ServiceRole(.viewer(root), on: dependencies), root: root)
    }

    /// With a role of its own making: whatever service offers the viewer's protocol.
    public static func viewer(_ role: ServiceRole, root: String) -> HostedService {
        HostedService(
            "viewer", role: role, endpoints: ViewerRoutes.endpoints(role, root: root), schemas: ViewerRoutes.schemas)
    }
}

extension ServiceProfile {
    /// `root` is the URL of this host's root.
    public static func viewer(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "viewer", name: "Attributes viewer", base: root + "/services/viewer",
            offers: [.init(ViewerRoutes.scope, path: "/attributes", version: "1.0")],
            claims: ["email", "name", "given_name", "family_name"])
    }
}
