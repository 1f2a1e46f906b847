import HTTP
import OAuth

extension HostedService {
    /// The attributes viewer.
    public static func viewer(_ role: ServiceRole, root: String) -> HostedService {
        HostedService("viewer", role: role, endpoints: ViewerRoutes.endpoints(role, root: root))
    }
}
