import OAuth
import Routes

/// The services that ship in the house. They join as an outside one would; what is special is only that they start with the process.
enum HouseServices {
    struct Entry: Sendable {
        let profile: ServiceProfile
        let guards: [GuardedPath]
    }

    static func all(root: String, roles: Set<Settings.Role>) -> [Entry] {
        [viewer(root), tiqr(root), operations(root), liquid(root)].filter { entry in roles.contains { $0.rawValue == entry.profile.id } }
    }

    private static func viewer(_ root: String) -> Entry {
        Entry(profile: ServiceProfile(id: "viewer", name: "Attributes viewer", base: root + "/services/viewer", offers: [.init(ViewerRoutes.scope, path: "/attributes", version: "1.0")],
                                      claims: ["email", "name", "given_name", "family_name"]), guards: [])
    }

    private static func tiqr(_ root: String) -> Entry {
        Entry(profile: ServiceProfile(id: "tiqr", name: "tiqr", base: root + "/services/tiqr",
                                      offers: [.init("org.tiqr.enroll", path: "/enrollments"), .init("org.tiqr.auth", path: "/authentications")]), guards: [])
    }

    private static func operations(_ root: String) -> Entry {
        Entry(profile: ServiceProfile(id: "operations", name: "Operations", base: root + "/services/operations",
                                      offers: [.init("com.wultra.operations", path: "/v2")]), guards: [])
    }

    private static func liquid(_ root: String) -> Entry {
        // Where the SDKs look for it: at the host's root (design/api.md, liquid).
        Entry(profile: ServiceProfile(id: "liquid", name: "Liquid Auth", base: root + "/services/liquid",
                                      offers: [.init("org.w3.webauthn", link: root), .init("com.liquidauth.signaling", link: root + "/socket.io/")]), guards: [])
    }
}
