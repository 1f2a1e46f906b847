import Base
import HTTP
import HTTPTypes
import Hummingbird

/// The apps that belong to this host, as the phones' systems ask for them before an app may use its passkeys.
public struct AppLinks: Sendable {
    public struct Android: Sendable {
        public let package: String
        /// SHA-256 of each certificate that signs it.
        public let fingerprints: [[UInt8]]

        public init(package: String, fingerprints: [[UInt8]]) {
            (self.package, self.fingerprints) = (package, fingerprints)
        }

        /// What passkeys made in the app say in place of a web origin (protocols/liquid.md, 1.5).
        public var origins: [String] { fingerprints.map { "android:apk-key-hash:" + Base64URL.encode($0) } }
    }

    public let android: [Android]
    /// `TEAMID.bundle.id`.
    public let apple: [String]

    public init(android: [Android] = [], apple: [String] = []) { (self.android, self.apple) = (android, apple) }
}

/// Well-known documents of a host with passkeys (protocols/liquid.md, 1 and 5.6). None of them redirects: Apple's asks
/// in vain then.
enum LiquidDocuments {
    /// Systems keep them; a change shall not take days.
    private static let seconds = 300

    static func endpoints(_ doors: LiquidEndpoints, root: String) -> [Endpoint] {
        let links = assetLinks(doors.links, root: root),
            apple: JSONValue = ["webcredentials": ["apps": JSONValue(strings: doors.links.apple)]]
        // Related origins (WebAuthn, 5.11) are web origins.
        let origins: JSONValue = [
            "origins": JSONValue(
                strings: doors.liquid.settings.wallets.origins.filter { $0.hasPrefix("http") }.sorted())
        ]
        return [
            Endpoint(.get, "/.well-known/assetlinks.json", "liquid: Android apps of this host") { _, _ in
                Answer.document(links, seconds: seconds)
            }.telling(.assetLinks),
            Endpoint(.get, "/.well-known/apple-app-site-association", "liquid: Apple apps of this host") { _, _ in
                Answer.document(apple, seconds: seconds)
            }.telling(.appleAppLinks),
            Endpoint(.get, "/.well-known/webauthn", "liquid: web origins that may use this host's passkeys") { _, _ in
                Answer.document(origins, seconds: seconds)
            }.telling(.relatedOrigins),
        ]
    }

    /// Digital Asset Links: the host itself, and each app.
    private static func assetLinks(_ links: AppLinks, root: String) -> JSONValue {
        let relation: JSONValue = [
            "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
        ]
        guard !links.android.isEmpty else { return [] }
        let site: JSONValue = ["relation": relation, "target": ["namespace": "web", "site": .string(root)]]
        return .array(
            [site]
                + links.android.map { app -> JSONValue in
                    let prints = app.fingerprints.map { $0.map(pair).joined(separator: ":") }
                    let target: JSONValue = [
                        "namespace": "android_app", "package_name": .string(app.package),
                        "sha256_cert_fingerprints": JSONValue(strings: prints),
                    ]
                    return ["relation": relation, "target": target]
                })
    }

    private static func pair(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.count == 1 ? "0" + text : text
    }
}
