import HTTP
import OAuth

extension HostedService {
    public static func greeting(on dependencies: ServiceRole.Dependencies, root: String) -> HostedService {
        let profile = ServiceProfile(
            id: "greeting", name: "Greeting", base: root + "/services/greeting",
            offers: [.init(GreetingRoutes.scope, path: "/greeting", version: "1.0")], claims: ["name"])
        let role = ServiceRole(profile, on: dependencies)
        return HostedService(
            "greeting", role: role, endpoints: GreetingRoutes.endpoints(role, root: root),
            schemas: GreetingRoutes.schemas)
    }
}
