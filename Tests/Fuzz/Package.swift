// swift-tools-version: 6.2
// The rooms of ../../Sources (by symbolic link) with coverage counters, and the fuzz targets. Built by deploy/fuzz.sh
// only; no part of the server. The rooms and what they stand on are those of ../../Package.swift.
import PackageDescription

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let certificates: [Target.Dependency] = [
    .product(name: "X509", package: "swift-certificates"), .product(name: "SwiftASN1", package: "swift-asn1"),
]
let hummingbird: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HummingbirdCore", package: "hummingbird"),
]

/// Edges, comparisons and indirect calls are counted in our modules; the address sanitizer (`--sanitize address`) is in
/// all of them.
let counted: [SwiftSetting] = [
    .unsafeFlags(["-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table", "-enable-testing"])
]
let driven: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: counted)
}

let package = Package(
    name: "pando-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode"),
        .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CLibLDAP", pkgConfig: "ldap"),
        .target(name: "CBuild"),
        .target(name: "CKMAC", publicHeadersPath: ".", linkerSettings: [.linkedLibrary("crypto")]),
        room("Base", [crypto]),
        room("Traces", [log, metrics, tracing]),
        room("Vocabulary", ["Base", "Traces"]),
        room("Database", ["Base", "Traces", "CLibPQ", log, metrics]),
        room("PKIX", ["Base", crypto] + certificates),
        room("OCRA", ["Base", crypto]),
        room("PowerAuth", ["Base", "CKMAC", crypto, cryptoExtras]),
        room("SocketIO", ["Base"]),
        room("Mail", ["CLibCurl"]),
        room("LDAP", ["CLibLDAP"]),
        room("WebAuthn", ["Base", "PKIX", crypto, cryptoExtras]),
        room(
            "Keys",
            ["Base", "Vocabulary", "Database", "PKIX", crypto, log, .product(name: "JWTKit", package: "jwt-kit")]
                + certificates),
        room("TokenTree", ["Base", "Vocabulary", "Database", log, metrics]),
        room("Accounts", ["Base", "Traces", "Vocabulary", "Database", "CArgon2", log, metrics]),
        room("Pages", ["Base", "Vocabulary", "CQREncode", .product(name: "Mustache", package: "swift-mustache")]),
        room("Registration", ["Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", log]),
        room("Federation", ["Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", log, metrics]),
        room("Push", ["Base", "Traces", "Keys", metrics]),
        room(
            "Administration",
            [
                "Base", "Database", "Keys", "TokenTree", "Accounts", "Registration", "Federation", argumentParser,
            ]),
        room(
            "OAuth",
            [
                "Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation", log,
                metrics,
            ]),
        room(
            "HTTP",
            [
                "Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "Federation", "Administration", "OAuth",
                log, metrics, nioCore, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"), httpTypes,
                nioSSL, serviceLifecycle,
            ] + hummingbird),
        room(
            "IdentityProvider",
            [
                "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "Federation", "Administration", "OAuth", "HTTP", "Mail", log, httpTypes,
            ]
                + hummingbird),
        room("Viewer", ["Base", "Pages", "OAuth", "HTTP"] + hummingbird),
        room("Discovery", ["Vocabulary", "Federation", "Registration", "OAuth", "HTTP"]),
        room(
            "Console",
            [
                "Base", "Vocabulary", "Database", "TokenTree", "Accounts", "Pages", "Registration", "Federation",
                "OAuth", "HTTP", "Administration", log, httpTypes,
            ] + hummingbird),
        room(
            "Upstream",
            [
                "LDAP", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "OAuth", "HTTP",
                "Administration", log, httpTypes, argumentParser,
            ] + hummingbird),
        room(
            "Tiqr",
            [
                "Administration", argumentParser, "Base", "Vocabulary", "Database", "OCRA", "Keys", "TokenTree",
                "Accounts", "Pages", "Registration", "OAuth", "HTTP", "Push", crypto, cryptoExtras, log,
                nioCore, httpTypes,
            ] + hummingbird),
        room(
            "Operations",
            [
                "Administration", argumentParser, "Base", "Vocabulary", "Database", "PowerAuth", "Keys", "TokenTree",
                "Accounts", "Pages", "Registration", "OAuth", "HTTP", "Push", crypto, log,
                httpTypes,
            ] + hummingbird),
        room(
            "Passkeys",
            [
                "Administration", argumentParser, "Base", "Vocabulary", "Database", "PKIX", "WebAuthn", "TokenTree",
                "Accounts", "Pages", "OAuth", "HTTP", log, httpTypes,
            ] + hummingbird),
        room(
            "Liquid",
            [
                "Administration", argumentParser, "Base", "Vocabulary", "Database", "SocketIO", "WebAuthn", "Keys",
                "TokenTree", "Accounts", "Pages", "Registration", "OAuth", "HTTP", "Passkeys", metrics, crypto, log,
                nioCore, httpTypes, serviceLifecycle,
            ] + hummingbird),
        room(
            "Crawler",
            [
                "Base", "Traces", "Vocabulary", "Database", "Accounts", "TokenTree", "Federation", "CLibXML2", log,
                metrics, nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "Yams", package: "Yams"),
            ]),
        room(
            "Server",
            [
                "Administration",
                "CBuild", "Base", "Traces", "Vocabulary", "Database", "PKIX", "WebAuthn", "OCRA", "Keys", "TokenTree",
                "Accounts", "Pages", "Registration", "Federation", "Tiqr", "Passkeys", "Liquid", "Operations",
                "Crawler", "OAuth", "HTTP", "Console", "IdentityProvider", "Viewer", "Discovery", "Upstream", "Mail",
                log, metrics, nioCore, nioSSL, httpClient, serviceLifecycle, argumentParser,
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        room("PandoClient", [crypto, nioCore, httpClient]),
        room("ServiceCheck", ["PandoClient", "Base", "Vocabulary", "Crawler", log, httpTypes] + hummingbird),
        room(
            "Simulators",
            [
                "PandoClient", "Base", "Database", "OCRA", "PowerAuth", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation", "Tiqr", "Liquid", "Operations", "Server", crypto, httpClient,
            ]),
        room(
            "Commands",
            [
                "PandoClient", "Administration", "Base", "Vocabulary", "Database", "Keys", "Simulators", "TokenTree",
                "Accounts", "Registration", "Federation", "Crawler", "OAuth", "HTTP", "Server", "ServiceCheck", log,
                argumentParser,
            ]),
        .target(name: "Harness", dependencies: ["CFuzzer"]),
        .executableTarget(
            name: "Parsers", dependencies: ["Harness", "Base", "Traces", "Vocabulary", "Keys", "PowerAuth", crypto],
            swiftSettings: counted, linkerSettings: driven),
        .executableTarget(
            name: "CeremonyFuzzers",
            dependencies: [
                "Harness", "Base", "Vocabulary", "Keys", "PKIX", "SocketIO", "WebAuthn", "Registration", "Passkeys",
                "Liquid",
            ],
            swiftSettings: counted, linkerSettings: driven),
        .executableTarget(
            name: "Crawling", dependencies: ["Harness", "Base", "Vocabulary", "Crawler"], swiftSettings: counted,
            linkerSettings: driven),
        .executableTarget(
            name: "Endpoints",
            dependencies: [
                "Harness", "Base", "Vocabulary", "Database", "PKIX", "OCRA", "PowerAuth", "SocketIO", "WebAuthn",
                "Keys", "TokenTree", "Accounts", "Pages",
                "Registration", "Federation", "Tiqr", "Operations", "Passkeys", "Liquid", "OAuth", "HTTP",
                "IdentityProvider", "Viewer", "Server", "Commands", crypto, log, nioCore, httpTypes,
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ] + hummingbird,
            swiftSettings: counted, linkerSettings: driven
        ),
    ]
)
