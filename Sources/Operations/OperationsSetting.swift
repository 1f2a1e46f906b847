import HTTP

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

    static let ofOperations: [Setting] = [
        operationsName, operationsScheme, operationsBasic, operationsWebhook, operationsWebhookSecret,
    ]
}
