import Base
import Foundation
import OCRA
import Tiqr

/// The `tiqr-…` settings, checked as far as they can be without reading files.
public struct TiqrValues: Sendable {
    let name: String
    let suite: String
    let enrollScheme: String
    let authScheme: String
    let logo: String?
    let info: String?
    let apns: APNs?
    let fcm: FCM?
    let exchange: String?
    let webhook: Webhook?

    struct APNs: Sendable { let keyFile: String, team: String, keyID: String, topic: String, endpoint: String }
    struct FCM: Sendable { let accountFile: String, endpoint: String }
    struct Webhook: Sendable { let url: String, secretFile: String }

    init(_ values: ConfigurationValues) throws {
        name = values[.tiqrName]
        guard (1...100).contains(name.count) else { throw Settings.Unacceptable(description: "tiqr-name: write 1 to 100 characters") }
        suite = values[.tiqrSuite]
        guard let known = try? OCRASuite(suite), known.isImportable else {
            throw Settings.Unacceptable(description: "tiqr-suite: \(suite) is no suite that the apps can do, such as OCRA-1:HOTP-SHA1-6:QH10-S064")
        }
        let schemes = values[.tiqrSchemes].split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        guard schemes.count == 2, schemes.allSatisfy({ $0.wholeMatch(of: #/[a-z][a-z0-9+.\-]{1,62}/#) != nil && !["http", "https"].contains($0) }) else {
            throw Settings.Unacceptable(description: "tiqr-schemes: write two schemes with a comma between, e.g. tiqrenroll,tiqrauth")
        }
        (enrollScheme, authScheme) = (schemes[0], schemes[1])
        (logo, info) = (try TiqrValues.url(values, .tiqrLogo), try TiqrValues.url(values, .tiqrInfo))
        apns = try TiqrValues.apns(values)
        fcm = values[.tiqrFCMAccount].isEmpty ? nil : FCM(accountFile: values[.tiqrFCMAccount], endpoint: try TiqrValues.endpoint(values, .tiqrFCMEndpoint))
        exchange = try TiqrValues.url(values, .tiqrExchange)
        let webhook = try TiqrValues.url(values, .tiqrWebhook), secret = values[.tiqrWebhookSecret]
        guard (webhook == nil) == secret.isEmpty else { throw Settings.Unacceptable(description: "tiqr-webhook, tiqr-webhook-secret: one is nothing without the other") }
        self.webhook = webhook.map { Webhook(url: $0, secretFile: secret) }
    }

    private static func apns(_ values: ConfigurationValues) throws -> APNs? {
        let parts = [values[.tiqrAPNsKey], values[.tiqrAPNsTeam], values[.tiqrAPNsKeyID], values[.tiqrAPNsTopic]]
        guard parts.contains(where: { !$0.isEmpty }) else { return nil }
        guard !parts.contains("") else {
            throw Settings.Unacceptable(description: "tiqr-apns-key, tiqr-apns-team, tiqr-apns-key-id, tiqr-apns-topic: all four, or none")
        }
        return APNs(keyFile: parts[0], team: parts[1], keyID: parts[2], topic: parts[3], endpoint: try endpoint(values, .tiqrAPNsEndpoint))
    }

    /// `nil` for an empty one.
    private static func url(_ values: ConfigurationValues, _ key: SettingKey) throws -> String? {
        let text = values[key]
        guard !text.isEmpty else { return nil }
        guard let address = WebAddress(text), address.scheme == "https" || address.isLoopback else {
            throw Settings.Unacceptable(description: "\(key.rawValue): \(text) is no https URL")
        }
        return text
    }

    /// Paths are put behind it.
    private static func endpoint(_ values: ConfigurationValues, _ key: SettingKey) throws -> String {
        guard let text = try url(values, key), let address = WebAddress(text), address.query == nil else {
            throw Settings.Unacceptable(description: "\(key.rawValue): write an https URL without query")
        }
        return address.withoutQuery
    }
}
