import Base
import Foundation
import HTTP
import Push

/// The settings of pushes, checked as far as they can be without reading files: credentials for the server's own app,
/// and where the push services are, for all apps.
struct PushValues: Sendable {
    struct APNs: Sendable { let keyFile: String, team: String, keyID: String, topic: String }
    struct HMS: Sendable { let app: String, secretFile: String }

    let apns: APNs?
    let fcmAccountFile: String?
    let hms: HMS?
    let endpoints: PushEndpoints

    init(_ values: SettingValues) throws {
        apns = try PushValues.apns(values)
        let account = values[.operationsFCMAccount]
        fcmAccountFile = account.isEmpty ? nil : account
        let app = values[.operationsHMSApp], secret = values[.operationsHMSSecret]
        guard app.isEmpty == secret.isEmpty else {
            throw UnacceptableSetting(
                description: "operations-hms-app, operations-hms-secret: one is nothing without the other")
        }
        hms = app.isEmpty ? nil : HMS(app: app, secretFile: secret)
        endpoints = PushEndpoints(
            apns: try values.endpoint(.operationsAPNsEndpoint),
            apnsSandbox: try values.endpoint(.operationsAPNsSandbox),
            fcm: try values.endpoint(.operationsFCMEndpoint), fcmTokens: try values.endpoint(.operationsFCMTokens),
            hms: try values.endpoint(.operationsHMSEndpoint), hmsTokens: try values.endpoint(.operationsHMSTokens))
    }

    private static func apns(_ values: SettingValues) throws -> APNs? {
        let parts = [
            values[.operationsAPNsKey], values[.operationsAPNsTeam], values[.operationsAPNsKeyID],
            values[.operationsAPNsTopic],
        ]
        guard parts.contains(where: { !$0.isEmpty }) else { return nil }
        guard !parts.contains("") else {
            throw UnacceptableSetting(
                description: """
                    operations-apns-key, operations-apns-team, operations-apns-key-id, operations-apns-topic: all \
                    four, or none
                    """)
        }
        return APNs(keyFile: parts[0], team: parts[1], keyID: parts[2], topic: parts[3])
    }

    /// Those that the settings have credentials of.
    var providers: [String] {
        [(PushProvider.apns, apns != nil), (.fcm, fcmAccountFile != nil), (.hms, hms != nil)]
            .filter { $0.1 }.map(\.0.rawValue)
    }

    /// Reads the files.
    func senders(http: PushHTTP, clock: WallClock) async throws -> AppSenders {
        var all: [PushCredentials] = [], tokens: String?
        if let apns {
            let pem = try SettingValues.read(apns.keyFile, .operationsAPNsKey)
            let settings: JSONObject = [
                "teamId": .string(apns.team), "keyId": .string(apns.keyID), "topic": .string(apns.topic),
            ]
            all.append(
                try await PushValues.checked(
                    PushCredentials(.apns, settings: settings, secret: SecretBytes(pem.utf8)), .operationsAPNsKey))
        }
        if let file = fcmAccountFile {
            let text = try SettingValues.read(file, .operationsFCMAccount)
            guard let account = (try? JSONReader.read(Array(text.utf8))).flatMap({ FCMAccount($0) }) else {
                throw SettingValues.unacceptable(
                    .operationsFCMAccount,
                    "\(file) is no service account: \(FCMAccount.members.joined(separator: ", "))")
            }
            let settings: JSONObject = [
                "projectId": .string(account.project), "clientEmail": .string(account.clientEmail),
            ]
            all.append(
                try await PushValues.checked(
                    PushCredentials(.fcm, settings: settings, secret: account.privateKey), .operationsFCMAccount))
            tokens = account.tokenURL
        }
        if let hms {
            let secret = try SettingValues.read(hms.secretFile, .operationsHMSSecret)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            all.append(PushCredentials(.hms, settings: ["appId": .string(hms.app)], secret: SecretBytes(secret.utf8)))
        }
        return try await AppSenders(all, endpoints, fcmTokens: tokens, http: http, clock: clock)
    }

    private static func checked(_ credentials: PushCredentials, _ setting: Setting) async throws -> PushCredentials {
        do { return try await credentials.checked() } catch let refusal as BackOfficeRefusal {
            throw SettingValues.unacceptable(setting, refusal.description)
        }
    }
}
