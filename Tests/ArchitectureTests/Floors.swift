/// The table of rooms and floors (README.md, "The server"), and who may import what from outside.
///
/// This is the one place where it is written for the compiler's sake: a new target or dependency starts here.
enum Floors {
    static let floors: [[String]] = [
        ["CLibPQ", "CLibXML2", "CLibCurl", "CArgon2", "CQREncode", "CBuild", "CKMAC", "CLibLDAP"],
        ["Base", "Traces"],
        ["Vocabulary", "Database", "PKIX", "OCRA", "PowerAuth", "SocketIO", "Mail", "LDAP"],
        ["WebAuthn", "Keys", "TokenTree", "Accounts", "Pages"],
        ["Registration", "Federation", "Push"],
        ["Administration", "Crawler", "OAuth"],
        ["HTTP", "ServiceCheck"],
        ["IdentityProvider", "Viewer", "Tiqr", "Operations", "Passkeys", "Discovery", "Console", "Upstream"],
        ["Liquid"],
        ["Server"],
        ["Simulators"],
        ["Commands"],
        ["pando", "pando-bench"],
    ]

    /// Libraries for others, which build without the server; what plays its clients imports them.
    static let beside: Set<String> = ["PandoClient"]

    static func floor(of target: String) -> Int? {
        floors.firstIndex { $0.contains(target) }
    }

    /// A name that ends in `*` stands for all modules that begin so.
    static let owners: [(module: String, targets: Set<String>)] = [
        ("CLibPQ", ["Database"]),
        ("CLibXML2", ["Crawler"]),
        ("CLibCurl", ["Mail"]),
        ("CLibLDAP", ["LDAP"]),
        ("CArgon2", ["Accounts"]),
        ("CQREncode", ["Pages"]),
        ("CBuild", ["Server"]),
        ("CKMAC", ["PowerAuth"]),
        ("JWTKit", ["Keys"]),
        ("X509", ["PKIX", "Keys"]),
        ("SwiftASN1", ["PKIX", "Keys"]),
        (
            "Hummingbird*",
            [
                "HTTP", "ServiceCheck", "IdentityProvider", "Viewer", "Tiqr", "Operations", "Passkeys", "Liquid",
                "Console", "Upstream",
            ]
        ),
        (
            "HTTPTypes",
            [
                "HTTP", "ServiceCheck", "IdentityProvider", "Viewer", "Tiqr", "Operations", "Passkeys", "Liquid",
                "Console", "Upstream",
            ]
        ),
        ("PandoClient", ["ServiceCheck", "Simulators", "Commands", "pando", "pando-bench"]),
        ("SmallService", ["pando"]),  // `pando demo service`
        ("NIO*", ["PandoClient", "HTTP", "Liquid", "Tiqr", "Crawler", "Server", "pando-bench"]),
        ("_NIO*", ["HTTP", "Crawler", "Server", "pando-bench"]),
        ("AsyncHTTPClient", ["PandoClient", "Server", "Simulators", "pando-bench"]),
        (
            "ArgumentParser*",
            [
                "Administration", "Tiqr", "Operations", "Passkeys", "Upstream", "Liquid", "Server", "Commands", "pando",
                "pando-bench",
            ]
        ),
        ("Tracing", ["Traces"]),
        ("Instrumentation", ["Traces"]),
        ("Configuration", ["Server"]),
        ("SystemPackage", ["Server"]),  // swift-configuration's paths
        ("ServiceLifecycle*", ["HTTP", "Liquid", "Server", "pando-bench"]),
        ("UnixSignals", ["Server"]),
        ("Mustache", ["Pages"]),
        ("Yams", ["Crawler"]),
        (
            "Crypto*",
            [
                "PandoClient", "Base", "PKIX", "OCRA", "PowerAuth", "WebAuthn", "Keys", "Tiqr", "Operations", "Liquid",
                "Simulators",
            ]
        ),
    ]

    /// Swift's own, logs, metrics and containers: for every room.
    static let common: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
        "Logging", "Metrics", "CoreMetrics", "Collections", "DequeModule", "OrderedCollections", "HeapModule",
    ]

    static func owners(of module: String) -> Set<String>? {
        owners.first { owner in
            owner.module.hasSuffix("*") ? module.hasPrefix(owner.module.dropLast()) : module == owner.module
        }?.targets
    }
}
