import HTTP

/// The `operations-…` settings, checked as far as they can be without reading files.
struct OperationsValues: Sendable {
    /// What the SDK is told of this server.
    let name: String
    /// Of the links with which a login opens the app, and that its QR codes are.
    let scheme: String
    let takesBasic: Bool
    let webhook: WebhookSetting?
    let pushes: PushValues

    init(_ values: SettingValues) throws {
        name = try values.name(.operationsName)
        scheme = values[.operationsScheme]
        guard scheme.isAppScheme else {
            throw SettingValues.unacceptable(.operationsScheme, "write a scheme of the app's own, e.g. pando")
        }
        takesBasic = try values.flag(.operationsBasic)
        webhook = try values.webhook(.operationsWebhook, secret: .operationsWebhookSecret)
        pushes = try PushValues(values)
    }
}
