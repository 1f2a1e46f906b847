import Base
import HTTP
import Passkeys

/// The `liquid-…` settings, checked as far as they can be without reading files.
struct LiquidValues: Sendable {
    struct Algod: Sendable { let url: String, tokenFile: String? }

    /// What wallets' passkeys are bound to.
    let passkeys: PasskeyValues
    /// Of web wallets and pages at other hosts.
    let origins: [String]
    let links: AppLinks
    let algod: Algod?
    /// FIDO's conformance test may call.
    let isTested: Bool
    /// A signature over the challenge alone registers no passkey.
    let isBoundOnly: Bool
    let relays: RelayValues

    init(_ values: SettingValues, issuer: WebAddress) throws {
        passkeys = try PasskeyValues(values, issuer: issuer)
        origins = values.list(.liquidOrigins)
        for text in origins {
            guard let address = WebAddress(text), address.origin == text,
                address.scheme == "https" || address.isLoopback
            else {
                throw SettingValues.unacceptable(
                    .liquidOrigins, "\(text) is no web origin such as https://wallet.example")
            }
        }
        links = AppLinks(android: try LiquidValues.android(values), apple: try LiquidValues.apple(values))
        algod = try LiquidValues.algod(values)
        isTested = try values.flag(.liquidConformance)
        isBoundOnly = try values.flag(.liquidBound)
        relays = try RelayValues(values)
    }

    /// A package that comes again has another certificate.
    private static func android(_ values: SettingValues) throws -> [AppLinks.Android] {
        var order: [String] = [], prints: [String: [[UInt8]]] = [:]
        for entry in values.list(.liquidAndroid) {
            let (package, text) = try values.pair(entry, of: .liquidAndroid, example: "org.example.wallet=AB:CD:…")
            let pairs = text.split(separator: ":", omittingEmptySubsequences: false),
                bytes = pairs.compactMap { LiquidValues.byte($0) }
            guard package.wholeMatch(of: #/[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/#) != nil, pairs.count == 32,
                bytes.count == 32
            else {
                throw SettingValues.unacceptable(
                    .liquidAndroid,
                    "\(entry) is no package and SHA-256 fingerprint such as org.example.wallet=AB:CD:…, 32 pairs")
            }
            if prints[package] == nil { order.append(package) }
            prints[package, default: []].append(bytes)
        }
        return order.map { AppLinks.Android(package: $0, fingerprints: prints[$0] ?? []) }
    }

    /// Two digits: `UInt8` reads signs as well.
    private static func byte(_ pair: Substring) -> UInt8? {
        pair.utf8.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
    }

    private static func apple(_ values: SettingValues) throws -> [String] {
        let apps = values.list(.liquidApple)
        for app in apps where app.wholeMatch(of: #/[A-Z0-9]{10}\.[A-Za-z0-9.\-]{1,155}/#) == nil {
            throw SettingValues.unacceptable(.liquidApple, "\(app) is no app such as TEAMID1234.org.example.wallet")
        }
        return apps
    }

    private static func algod(_ values: SettingValues) throws -> Algod? {
        let text = values[.liquidAlgod], token = values[.liquidAlgodToken]
        guard !text.isEmpty else {
            guard token.isEmpty else {
                throw SettingValues.unacceptable(.liquidAlgodToken, "it is nothing without liquid-algod")
            }
            return nil
        }
        guard let address = WebAddress(text), address.scheme == "https" || address.isLoopback, address.query == nil
        else {
            throw SettingValues.unacceptable(.liquidAlgod, "\(text) is no https URL without query")
        }
        let url = address.withoutQuery
        return Algod(url: url.hasSuffix("/") ? String(url.dropLast()) : url, tokenFile: token.isEmpty ? nil : token)
    }
}
