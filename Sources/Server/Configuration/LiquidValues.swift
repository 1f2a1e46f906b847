import Base
import Foundation
import Liquid
import HTTP
import WebAuthn

/// The `liquid-…` settings, checked as far as they can be without reading files.
public struct LiquidValues: Sendable {
    struct Algod: Sendable { let url: String, tokenFile: String? }
    struct Roots: Sendable { let format: AttestationFormat, file: String }

    /// What phones and browsers call this server beside a passkey.
    let name: String
    /// The RP ID: the issuer's host, or a domain above it.
    let rpID: String
    /// Of web wallets and pages at other hosts.
    let origins: [String]
    /// Of the IdP's own apps on Android. On iOS they say `https://` and the RP ID.
    let apps: [String]
    let links: AppLinks
    let algod: Algod?
    let conveyance: AttestationPolicy.Conveyance
    let roots: [Roots]
    /// FIDO's conformance test may call.
    let isTested: Bool

    init(_ values: ConfigurationValues, issuer: WebAddress) throws {
        name = values[.liquidName]
        guard (1...100).contains(name.count) else { throw Settings.Unacceptable(description: "liquid-name: write 1 to 100 characters") }
        rpID = values[.liquidRPID].isEmpty ? issuer.host : values[.liquidRPID]
        guard rpID == issuer.host || (issuer.host.hasSuffix("." + rpID) && rpID.contains(".")) else {
            throw Settings.Unacceptable(description: "liquid-rp-id: \(rpID) is neither the issuer's host nor a domain above it")
        }
        origins = try LiquidValues.list(values, .liquidOrigins).map { text in
            guard let address = WebAddress(text), address.origin == text, address.scheme == "https" || address.isLoopback else {
                throw Settings.Unacceptable(description: "liquid-origins: \(text) is no web origin such as https://wallet.example")
            }
            return text
        }
        apps = try LiquidValues.list(values, .passkeyOrigins).map { text in
            guard text.wholeMatch(of: #/android:apk-key-hash:[A-Za-z0-9_\-]{43}/#) != nil else {
                throw Settings.Unacceptable(description: "passkey-origins: \(text) is no app such as android:apk-key-hash:… with 43 letters")
            }
            return text
        }
        links = AppLinks(android: try LiquidValues.android(values), apple: try LiquidValues.apple(values))
        algod = try LiquidValues.algod(values)
        guard let conveyance = AttestationPolicy.Conveyance(rawValue: values[.liquidAttestation]) else {
            throw Settings.Unacceptable(description: "liquid-attestation: write none, indirect, direct or enterprise")
        }
        self.conveyance = conveyance
        roots = try LiquidValues.list(values, .liquidAttestationRoots).map { entry in
            let (word, file) = try LiquidValues.pair(entry, .liquidAttestationRoots, example: "packed=roots.pem")
            guard let format = AttestationFormat(rawValue: word), format != .none else {
                throw Settings.Unacceptable(description: "liquid-attestation-roots: \(word) is none of packed, fido-u2f, apple, android-key, tpm")
            }
            return Roots(format: format, file: file)
        }
        guard ["true", "false"].contains(values[.liquidConformance]) else { throw Settings.Unacceptable(description: "liquid-conformance: write true or false") }
        isTested = values[.liquidConformance] == "true"
    }

    private static func list(_ values: ConfigurationValues, _ key: SettingKey) -> [String] {
        values[key].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func pair(_ entry: String, _ key: SettingKey, example: String) throws -> (String, String) {
        let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Settings.Unacceptable(description: "\(key.rawValue): \(entry) is not of the form \(example)") }
        return (parts[0], parts[1])
    }

    /// A package that comes again has another certificate.
    private static func android(_ values: ConfigurationValues) throws -> [AppLinks.Android] {
        var order: [String] = [], prints: [String: [[UInt8]]] = [:]
        for entry in list(values, .liquidAndroid) {
            let (package, text) = try pair(entry, .liquidAndroid, example: "org.example.wallet=AB:CD:…")
            let pairs = text.split(separator: ":", omittingEmptySubsequences: false), bytes = pairs.compactMap { LiquidValues.byte($0) }
            guard package.wholeMatch(of: #/[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/#) != nil, pairs.count == 32, bytes.count == 32 else {
                throw Settings.Unacceptable(description: "liquid-android: \(entry) is no package and SHA-256 fingerprint such as org.example.wallet=AB:CD:…, 32 pairs")
            }
            if prints[package] == nil { order.append(package) }
            prints[package, default: []].append(bytes)
        }
        return order.map { AppLinks.Android(package: $0, fingerprints: prints[$0] ?? []) }
    }

    /// Two digits: `UInt8` reads signs as well.
    private static func byte(_ pair: Substring) -> UInt8? { pair.utf8.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil }

    private static func apple(_ values: ConfigurationValues) throws -> [String] {
        let apps = list(values, .liquidApple)
        for app in apps where app.wholeMatch(of: #/[A-Z0-9]{10}\.[A-Za-z0-9.\-]{1,155}/#) == nil {
            throw Settings.Unacceptable(description: "liquid-apple: \(app) is no app such as TEAMID1234.org.example.wallet")
        }
        return apps
    }

    private static func algod(_ values: ConfigurationValues) throws -> Algod? {
        let text = values[.liquidAlgod], token = values[.liquidAlgodToken]
        guard !text.isEmpty else {
            guard token.isEmpty else { throw Settings.Unacceptable(description: "liquid-algod-token: it is nothing without liquid-algod") }
            return nil
        }
        guard let address = WebAddress(text), address.scheme == "https" || address.isLoopback, address.query == nil else {
            throw Settings.Unacceptable(description: "liquid-algod: \(text) is no https URL without query")
        }
        let url = address.withoutQuery
        return Algod(url: url.hasSuffix("/") ? String(url.dropLast()) : url, tokenFile: token.isEmpty ? nil : token)
    }
}
