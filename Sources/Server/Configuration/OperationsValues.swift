import Base

/// The `operations-…` settings, checked as far as they can be without reading files.
public struct OperationsValues: Sendable {
    struct Webhook: Sendable { let url: String, secretFile: String }

    /// What the SDK is told of this server.
    let name: String
    /// Of the links with which a login opens the app, and that its QR codes are.
    let scheme: String
    let takesBasic: Bool
    let webhook: Webhook?

    init(_ values: ConfigurationValues) throws {
        name = values[.operationsName]
        guard (1...100).contains(name.count) else { throw Settings.Unacceptable(description: "operations-name: write 1 to 100 characters") }
        scheme = values[.operationsScheme]
        guard scheme.wholeMatch(of: #/[a-z][a-z0-9+.\-]{1,62}/#) != nil, !["http", "https"].contains(scheme) else {
            throw Settings.Unacceptable(description: "operations-scheme: write a scheme of the app's own, e.g. pando")
        }
        guard ["true", "false"].contains(values[.operationsBasic]) else { throw Settings.Unacceptable(description: "operations-basic: write true or false") }
        takesBasic = values[.operationsBasic] == "true"
        let url = values[.operationsWebhook], secret = values[.operationsWebhookSecret]
        guard url.isEmpty == secret.isEmpty else {
            throw Settings.Unacceptable(description: "operations-webhook, operations-webhook-secret: one is nothing without the other")
        }
        if url.isEmpty {
            webhook = nil
        } else {
            guard let address = WebAddress(url), address.scheme == "https" || address.isLoopback else {
                throw Settings.Unacceptable(description: "operations-webhook: \(url) is no https URL")
            }
            webhook = Webhook(url: url, secretFile: secret)
        }
    }
}
