import HTTP
import Push

extension Setting {
    static let operationsName = Setting(
        "operations-name", "what apps of the operations SDK are told this server is called", default: "Pando",
        namesServer: true)
    static let operationsScheme = Setting(
        "operations-scheme", "scheme of the links that open the app which approves logins", default: "pando")
    static let operationsBasic = Setting(
        "operations-basic",
        "true lets services show client id and secret to the back office of operations, in place of a token",
        default: "false")
    static let operationsWebhook = Setting(
        "operations-webhook", "URL that gets pushes for apps of the operations SDK; empty for none")
    static let operationsWebhookSecret = Setting(
        "operations-webhook-secret", "file with the key that signs them, 32 bytes as base64url")
    static let operationsAPNsKey = Setting(
        "operations-apns-key",
        "PEM file (.p8) with the key that pushes to the app which approves logins; empty for none")
    static let operationsAPNsTeam = Setting("operations-apns-team", "Apple's id of the team")
    static let operationsAPNsKeyID = Setting("operations-apns-key-id", "Apple's id of that key")
    static let operationsAPNsTopic = Setting("operations-apns-topic", "bundle id of the app that is pushed to")
    static let operationsAPNsEndpoint = Setting(
        "operations-apns-endpoint", "Apple's push service", default: APNsSender.Settings.production)
    static let operationsAPNsSandbox = Setting(
        "operations-apns-sandbox", "Apple's push service for apps in development", default: APNsSender.Settings.sandbox)
    static let operationsFCMAccount = Setting(
        "operations-fcm-account",
        "JSON file of the service account that pushes to the app which approves logins; empty for none")
    static let operationsFCMEndpoint = Setting(
        "operations-fcm-endpoint", "Firebase Cloud Messaging", default: FCMSender.Settings.service)
    static let operationsFCMTokens = Setting(
        "operations-fcm-tokens", "where service accounts of other apps get their tokens",
        default: FCMSender.Settings.tokens)
    static let operationsHMSApp = Setting(
        "operations-hms-app", "Huawei's id of the app which approves logins; empty for none")
    static let operationsHMSSecret = Setting("operations-hms-secret", "file with that app's secret at Huawei")
    static let operationsHMSEndpoint = Setting(
        "operations-hms-endpoint", "Huawei Push Kit", default: HMSSender.Settings.service)
    static let operationsHMSTokens = Setting(
        "operations-hms-tokens", "where apps get their tokens for it", default: HMSSender.Settings.tokens)

    static let ofOperations: [Setting] = [
        operationsName, operationsScheme, operationsBasic, operationsWebhook, operationsWebhookSecret,
        operationsAPNsKey, operationsAPNsTeam, operationsAPNsKeyID, operationsAPNsTopic, operationsAPNsEndpoint,
        operationsAPNsSandbox, operationsFCMAccount, operationsFCMEndpoint, operationsFCMTokens, operationsHMSApp,
        operationsHMSSecret, operationsHMSEndpoint, operationsHMSTokens,
    ]
}
