import HTTP
import OAuth
import Viewer

/// The services that ship in the house. They join as an outside one would; what is special is only that they start with the process.
enum BuiltInServices {
    static func all(root: String, roles: Set<Settings.Role>) -> [ServiceProfile] {
        [viewer(root), tiqr(root), operations(root), liquid(root)].filter { profile in
            roles.contains { $0.rawValue == profile.id }
        }
    }

    private static func viewer(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "viewer", name: "Attributes viewer", base: root + "/services/viewer",
            offers: [.init(ViewerRoutes.scope, path: "/attributes", version: "1.0")],
            claims: ["email", "name", "given_name", "family_name"])
    }

    private static func tiqr(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "tiqr", name: "tiqr", base: root + "/services/tiqr",
            offers: [.init("org.tiqr.enroll", path: "/enrollments"), .init("org.tiqr.auth", path: "/authentications")])
    }

    private static func operations(_ root: String) -> ServiceProfile {
        ServiceProfile(
            id: "operations", name: "Operations", base: root + "/services/operations",
            offers: [.init("com.wultra.operations", path: "/v2")])
    }

    private static func liquid(_ root: String) -> ServiceProfile {
        // Where the SDKs look for it: at the host's root (design/api.md, liquid).
        ServiceProfile(
            id: "liquid", name: "Liquid Auth", base: root + "/services/liquid",
            offers: [
                .init("org.w3.webauthn", link: root), .init("com.liquidauth.signaling", link: root + "/socket.io/"),
            ])
    }
}
