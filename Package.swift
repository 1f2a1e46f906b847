// swift-tools-version: 6.2
// The rooms and floors of README.md; a target imports lower floors only, never a sibling (ArchitectureTests).
import PackageDescription

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")

let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "pando",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "pando", targets: ["pando"]), .executable(name: "pando-bench", targets: ["pando-bench"]),
        .executable(name: "SmallService", targets: ["SmallServiceCommand"]),
        .library(name: "PandoClient", targets: ["PandoClient"]),
    ],
    // What was tested; what these bring along stands in deploy/dependencies.txt. Who depends on PandoClient may have
    // newer ones of what it imports.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: [
        // Beside the floors
        .target(name: "PandoClient", dependencies: [crypto, nioCore, httpClient], exclude: ["README.md"]),
        // Floor 0
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .target(name: "CBuild"),
        .target(name: "CKMAC", publicHeadersPath: ".", linkerSettings: [.linkedLibrary("crypto")]),
        .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLibLDAP", pkgConfig: "ldap", providers: [.apt(["libldap-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // Floor 1
        .target(name: "Base", dependencies: [crypto]),
        .target(name: "Traces", dependencies: [log, metrics, tracing]),
        // Floor 2
        .target(name: "Vocabulary", dependencies: ["Base", "Traces"]),
        .target(name: "Database", dependencies: ["Base", "Traces", "CLibPQ", log, metrics]),
        .target(name: "PKIX", dependencies: ["Base", crypto, x509, asn1]),
        .target(name: "OCRA", dependencies: ["Base", crypto]),
        .target(name: "PowerAuth", dependencies: ["Base", "CKMAC", crypto, cryptoExtras]),
        .target(name: "SocketIO", dependencies: ["Base"]),
        .target(name: "Mail", dependencies: ["CLibCurl"]),
        .target(name: "LDAP", dependencies: ["CLibLDAP"]),
        // Floor 3
        .target(name: "WebAuthn", dependencies: ["Base", "PKIX", crypto, cryptoExtras]),
        .target(
            name: "Keys",
            dependencies: [
                "Base", "Vocabulary", "Database", "PKIX", crypto, log, x509, asn1,
                .product(name: "JWTKit", package: "jwt-kit"),
            ]),
        .target(name: "TokenTree", dependencies: ["Base", "Vocabulary", "Database", log, metrics]),
        .target(name: "Accounts", dependencies: ["Base", "Traces", "Vocabulary", "Database", "CArgon2", log, metrics]),
        .target(
            name: "Pages",
            dependencies: ["Base", "Vocabulary", "CQREncode", .product(name: "Mustache", package: "swift-mustache")]),
        // Floor 4
        .target(
            name: "Registration",
            dependencies: ["Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", log]),
        .target(
            name: "Federation",
            dependencies: ["Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", log, metrics]),
        .target(name: "Push", dependencies: ["Base", "Traces", "Keys", metrics]),
        // Floor 5
        .target(
            name: "Administration",
            dependencies: [
                "Base", "Database", "Keys", "TokenTree", "Accounts", "Registration", "Federation", argumentParser,
            ]),
        .target(
            name: "Crawler",
            dependencies: [
                "Base", "Traces", "Vocabulary", "Database", "Accounts", "TokenTree", "Federation", "CLibXML2", log,
                metrics, nioCore, nioSSL, yams,
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ], path: "crawler"),
        .target(
            name: "OAuth",
            dependencies: [
                "Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation", log,
                metrics,
            ]),
        // Floor 6
        .target(
            name: "HTTP",
            dependencies: [
                "Base", "Traces", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "Federation", "OAuth", log, metrics, nioCore, httpTypes,
                "Administration", hummingbird, .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"), nioSSL, serviceLifecycle,
            ]),
        .target(
            name: "ServiceCheck",
            dependencies: ["PandoClient", "Base", "Vocabulary", "Crawler", log, httpTypes, hummingbird]),
        // Floor 7: a product each
        .target(
            name: "IdentityProvider",
            dependencies: [
                "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "Federation", "OAuth", "HTTP", "Mail", log, httpTypes, hummingbird,
                "Administration",
            ]),
        .target(
            name: "Console",
            dependencies: [
                "Base", "Vocabulary", "Database", "TokenTree", "Accounts", "Pages", "Registration", "Federation",
                "OAuth",
                "HTTP", "Administration", log, httpTypes, hummingbird,
            ]),
        .target(name: "Viewer", dependencies: ["Base", "Pages", "OAuth", "HTTP", hummingbird]),
        .target(name: "Discovery", dependencies: ["Vocabulary", "Federation", "Registration", "OAuth", "HTTP"]),
        .target(
            name: "Tiqr",
            dependencies: [
                "Base", "Vocabulary", "Database", "OCRA", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "OAuth", "HTTP", "Push", crypto, cryptoExtras, log, httpTypes,
                "Administration", nioCore, hummingbird, argumentParser,
            ]),
        .target(
            name: "Operations",
            dependencies: [
                "Base", "Vocabulary", "Database", "PowerAuth", "Keys", "TokenTree", "Accounts", "Pages", "Registration",
                "OAuth", "HTTP", "Push", crypto, log, httpTypes, hummingbird,
                "Administration", argumentParser,
            ]),
        .target(
            name: "Passkeys",
            dependencies: [
                "Base", "Vocabulary", "Database", "PKIX", "WebAuthn", "TokenTree", "Accounts", "Pages", "OAuth", "HTTP",
                log, httpTypes, hummingbird,
                "Administration", argumentParser,
            ]),
        .target(
            name: "Upstream",
            dependencies: [
                "LDAP", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "OAuth", "HTTP",
                log,
                "Administration", httpTypes, hummingbird, argumentParser,
            ]),
        // Floor 8: a product that stands on another
        .target(
            name: "Liquid",
            dependencies: [
                "Base", "Vocabulary", "Database", "SocketIO", "WebAuthn", "Keys", "TokenTree", "Accounts", "Pages",
                "Registration", "OAuth", "HTTP", "Passkeys", crypto, log, metrics,
                "Administration", httpTypes, nioCore, hummingbird, serviceLifecycle, argumentParser,
            ]),
        // Floor 9
        .target(
            name: "Server",
            dependencies: [
                "Passkeys", "Upstream",
                "Administration", "Console",
                "CBuild", "Base", "Traces", "Vocabulary", "Database", "PKIX", "WebAuthn", "OCRA", "Keys", "TokenTree",
                "Accounts",
                "Pages", "Registration", "Federation", "Tiqr", "Liquid",
                "Operations", "Crawler", "OAuth", "HTTP", "IdentityProvider", "Viewer", "Discovery", "Mail", log,
                metrics, nioCore, nioSSL, httpClient,
                argumentParser, .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
                serviceLifecycle,
            ]),
        // Floor 10
        .target(
            name: "Simulators",
            dependencies: [
                "PandoClient", "Base", "Database", "OCRA", "PowerAuth", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation", "Tiqr", "Liquid", "Operations", "Server",
                crypto, httpClient,
            ]),
        // Floor 11
        .target(
            name: "Commands",
            dependencies: [
                "PandoClient", "Administration", "Base", "Vocabulary", "Database", "Keys", "Simulators", "TokenTree",
                "Accounts",
                "Registration", "Federation", "Crawler", "OAuth", "HTTP", "Server", "ServiceCheck", log, argumentParser,
            ]),
        // Floor 11
        // Floor 12
        .executableTarget(
            name: "pando",
            dependencies: [
                "PandoClient", "Administration", "Commands", "Passkeys",
                "Base", "Database", "PowerAuth", "Keys", "TokenTree", "Accounts", "Pages", "Registration", "Federation",
                "Tiqr", "Liquid", "Operations", "Crawler", "OAuth",
                "HTTP", "Server", "Simulators", "ServiceCheck", "SmallService", log, argumentParser,
            ]),
        .executableTarget(
            name: "pando-bench",
            dependencies: [
                "PandoClient", "Administration",
                "Base", "Vocabulary", "Database", "OCRA", "PowerAuth", "SocketIO", "WebAuthn", "Keys", "TokenTree",
                "Accounts", "Registration", "Federation", "Tiqr", "Liquid",
                "Operations", "Crawler", "OAuth", "HTTP", "Server", "Simulators", log, metrics, nioCore, httpClient,
                .product(name: "NIOPosix", package: "swift-nio"), argumentParser,
            ]),
        // The example of docs/add-a-service.md, which tests serve
        .target(name: "Greeting", dependencies: ["Base", "OAuth", "HTTP", hummingbird], path: "examples/Greeting"),
        // The examples of Sources/PandoClient/README.md, which tests run
        .executableTarget(
            name: "SmallApp", dependencies: ["PandoClient", crypto], path: "examples/SmallApp", exclude: ["README.md"]),
        .target(
            name: "SmallService", dependencies: ["PandoClient", hummingbird, httpTypes, crypto],
            path: "examples/SmallService", exclude: ["Command", "README.md"]),
        .executableTarget(
            name: "SmallServiceCommand", dependencies: ["PandoClient", "SmallService"],
            path: "examples/SmallService/Command"),
        // Tests
        .target(
            name: "TestSupport",
            dependencies: [
                "Passkeys",
                "Traces", "Push", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation",
                "Tiqr",
                "Liquid", "Operations", "Crawler", "OAuth", "HTTP", "IdentityProvider", "Viewer", "Server",
                "Commands", "PowerAuth", "ProtocolTestSupport", crypto, log, nioCore, httpTypes, httpClient, nioSSL,
                x509, asn1,
                .product(name: "NIOPosix", package: "swift-nio"),
                hummingbird, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ], path: "Tests/TestSupport"),
        .target(
            name: "ProtocolTestSupport", dependencies: ["Base", "PowerAuth", "WebAuthn", crypto],
            path: "Tests/ProtocolTestSupport"),
        .target(name: "PageTestSupport", dependencies: ["Pages"], path: "Tests/PageTestSupport"),
        .testTarget(name: "ArchitectureTests"),
        .testTarget(
            name: "AdministrationTests",
            dependencies: [
                "PandoClient", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation",
                "Administration", "OAuth", "Pages", "HTTP", "Console", "Server", "Commands", "TestSupport",
                "PageTestSupport", argumentParser, log, httpTypes,
            ]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Traces", "Base", "Database", "TokenTree", "Pages", "HTTP", "Server", "TestSupport", httpTypes, log,
                metrics, hummingbird, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(name: "PandoClientTests", dependencies: ["PandoClient", crypto]),
        .testTarget(
            name: "ServiceCheckTests",
            dependencies: [
                "Base", "Vocabulary", "Crawler", "PandoClient", "ServiceCheck", "SmallService", "TestSupport",
                httpTypes,
                hummingbird, nioSSL,
            ]),
        .testTarget(name: "BaseTests", dependencies: ["Base"]),
        .testTarget(name: "TracesTests", dependencies: ["Traces", log, metrics, tracing]),
        .testTarget(name: "VocabularyTests", dependencies: ["Base", "Vocabulary"]),
        .testTarget(name: "OCRATests", dependencies: ["Base", "OCRA", "ProtocolTestSupport"]),
        .testTarget(name: "PowerAuthTests", dependencies: ["Base", "PowerAuth", "ProtocolTestSupport"]),
        .testTarget(name: "MailTests", dependencies: ["Mail"]),
        .testTarget(name: "SocketIOTests", dependencies: ["Base", "SocketIO"]),
        .testTarget(
            name: "WebAuthnTests",
            dependencies: ["Base", "PKIX", "WebAuthn", "ProtocolTestSupport", crypto, x509, asn1]),
        .testTarget(name: "PagesTests", dependencies: ["Pages", "PageTestSupport"]),
        .testTarget(
            name: "IdentityProviderTests",
            dependencies: ["Base", "Accounts", "OAuth", "Pages", "IdentityProvider", "PageTestSupport"]),
        .testTarget(
            name: "PasskeysTests", dependencies: ["Pages", "IdentityProvider", "Passkeys", "PageTestSupport"]),
        .testTarget(
            name: "UpstreamTests",
            dependencies: [
                "Base", "Accounts", "Pages", "HTTP", "IdentityProvider", "LDAP", "Upstream", "PageTestSupport",
            ]),
        .testTarget(name: "DatabaseTests", dependencies: ["Traces", "Base", "Database", log]),
        .testTarget(name: "KeysTests", dependencies: ["Base", "Database", "PKIX", "Keys", log]),
        .testTarget(name: "TokenTreeTests", dependencies: ["Base", "Database", "TokenTree", "TestSupport", log]),
        .testTarget(
            name: "TiqrTests",
            dependencies: [
                "Push", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "OCRA", "OAuth",
                "IdentityProvider",
                "Tiqr", "Server",
                "TestSupport", "ProtocolTestSupport", "PageTestSupport", crypto, log,
            ]),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "Push", "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "HTTP", "PowerAuth",
                "IdentityProvider", "Operations", "OAuth", "Server",
                "TestSupport",
                "ProtocolTestSupport", "PageTestSupport", crypto, cryptoExtras, log,
            ]),
        .testTarget(
            name: "LiquidTests",
            dependencies: [
                "IdentityProvider", "Passkeys",
                "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Pages", "SocketIO", "WebAuthn",
                "Liquid", "TestSupport",
                "ProtocolTestSupport", "PageTestSupport", crypto, log,
            ]),
        .testTarget(
            name: "CrawlerTests",
            dependencies: [
                "Base", "Vocabulary", "Database", "TokenTree", "Federation", "Administration", "Crawler", "Commands",
                "TestSupport", log, nioCore, nioSSL, .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "AttackTests",
            dependencies: [
                "Base", "Vocabulary", "Database", "Keys", "TokenTree", "Accounts", "Registration", "Federation",
                "OAuth", "HTTP", "Server", "TestSupport", crypto, httpTypes, nioCore,
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                hummingbird, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "Traces", "Passkeys", "Mail", "Administration", "LDAP", "Upstream", log,
                "Push", "Base", "Vocabulary", "Database", "PowerAuth", "Keys", "TokenTree", "Accounts", "Registration",
                "Federation", "Tiqr", "Liquid", "Operations", "OAuth",
                "HTTP", "IdentityProvider", "Viewer", "Pages", "PageTestSupport", "Server", "Greeting", "PandoClient",
                "SmallApp", "SmallService", "TestSupport", crypto, httpTypes, nioCore, serviceLifecycle,
                hummingbird, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
    ]
)
