import Base
import Foundation
import HTTP
import OCRA

/// The `tiqr-…` settings, checked as far as they can be without reading files.
struct TiqrValues: Sendable {
    let name: String
    let suite: String
    let enrollScheme: String
    let authScheme: String
    let logo: String?
    let info: String?
    let apns: APNs?
    let fcm: FCM?
    let exchange: String?
    let webhook: WebhookSetting?
    let textsFile: String
    let numberMatching: TiqrSettings.NumberMatching

    struct APNs: Sendable { let keyFile: String, team: String, keyID: String, topic: String, endpoint: String }
    struct FCM: Sendable { let accountFile: String, endpoint: String }

    init(_ values: SettingValues) throws {
        name = try values.name(.tiqrName)
        suite = values[.tiqrSuite]
        guard let known = try? OCRASuite(suite), known.isOffered else {
            throw SettingValues.unacceptable(
                .tiqrSuite, "\(suite) is no suite that the apps can do, such as OCRA-1:HOTP-SHA1-6:QH10-S064")
        }
        let schemes = values[.tiqrSchemes].split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard schemes.count == 2, schemes.allSatisfy({ $0.isAppScheme }) else {
            throw SettingValues.unacceptable(
                .tiqrSchemes, "write two schemes with a comma between, e.g. tiqrenroll,tiqrauth")
        }
        (enrollScheme, authScheme) = (schemes[0], schemes[1])
        (logo, info) = (try values.url(.tiqrLogo), try values.url(.tiqrInfo))
        apns = try TiqrValues.apns(values)
        let account = values[.tiqrFCMAccount]
        fcm = account.isEmpty ? nil : FCM(accountFile: account, endpoint: try values.endpoint(.tiqrFCMEndpoint))
        exchange = try values.url(.tiqrExchange)
        webhook = try values.webhook(.tiqrWebhook, secret: .tiqrWebhookSecret)
        textsFile = values[.tiqrTexts]
        guard let matching = TiqrSettings.NumberMatching(rawValue: values[.tiqrNumberMatching]) else {
            throw SettingValues.unacceptable(
                .tiqrNumberMatching, "write off or push; docs/design/number-matching.md says why codes have no number")
        }
        numberMatching = matching
    }

    /// Reads the file.
    func texts() throws -> PhoneTexts {
        guard !textsFile.isEmpty else { return .ours }
        return try PhoneTexts(json: Array(try SettingValues.read(textsFile, .tiqrTexts).utf8))
    }

    private static func apns(_ values: SettingValues) throws -> APNs? {
        let parts = [values[.tiqrAPNsKey], values[.tiqrAPNsTeam], values[.tiqrAPNsKeyID], values[.tiqrAPNsTopic]]
        guard parts.contains(where: { !$0.isEmpty }) else { return nil }
        guard !parts.contains("") else {
            throw UnacceptableSetting(
                description: "tiqr-apns-key, tiqr-apns-team, tiqr-apns-key-id, tiqr-apns-topic: all four, or none")
        }
        return APNs(
            keyFile: parts[0], team: parts[1], keyID: parts[2], topic: parts[3],
            endpoint: try values.endpoint(.tiqrAPNsEndpoint))
    }
}
