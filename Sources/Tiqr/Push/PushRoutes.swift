import Database
import Foundation
import Push

/// Which push goes where, by the type that the phone told. Only the holder of an app's own credentials reaches it
/// (protocols/tiqr.md, 1.12).
public final class PushRoutes: Sendable {
    let apns: APNsSender?
    let fcm: FCMSender?
    let exchange: TokenExchange?
    let webhook: PushWebhook?

    public static let none = PushRoutes()

    public init(
        apns: APNsSender? = nil, fcm: FCMSender? = nil, exchange: TokenExchange? = nil, webhook: PushWebhook? = nil
    ) {
        (self.apns, self.fcm, self.exchange, self.webhook) = (apns, fcm, exchange, webhook)
    }

    /// Who takes the pushes, whatever their type.
    static let providers = ["apns", "fcm", "webhook"]
    /// That of a `tiqr_identity i`, null without a type; pseudo tokens count for the service behind them even if,
    /// without an exchange, they go by the webhook.
    static let provider: SQL = """
        case when i.push_type in ('APNS_DIRECT', 'APNS') then 'apns'
        when i.push_type in ('FCM_DIRECT', 'FCM', 'GCM') then 'fcm' when i.push_type is not null then 'webhook' end
        """

    private enum Road {
        case apns(APNsSender), fcm(FCMSender), exchangedAPNs(APNsSender, TokenExchange), exchangedFCM(
            FCMSender, TokenExchange), webhook(PushWebhook)
    }

    func reaches(_ type: String) -> Bool { road(type) != nil }

    /// Pseudo tokens without an exchange go the webhook's way.
    private func road(_ type: String) -> Road? {
        switch type {
        case "APNS_DIRECT": if let apns { return .apns(apns) }
        case "FCM_DIRECT": if let fcm { return .fcm(fcm) }
        case "APNS": if let apns, let exchange { return .exchangedAPNs(apns, exchange) }
        case "FCM", "GCM": if let fcm, let exchange { return .exchangedFCM(fcm, exchange) }
        default: break
        }
        return webhook.map { .webhook($0) }
    }

    func deliver(_ message: PushMessage, at now: Date) async throws -> PushResult {
        switch road(message.type) {
        case .apns(let sender): try await sender.deliver(message.apns(at: now))
        case .fcm(let sender): try await sender.deliver(message.fcm(at: now))
        case .exchangedAPNs(let sender, let exchange):
            try await exchanged(message, exchange) { try await sender.deliver($0.apns(at: now)) }
        case .exchangedFCM(let sender, let exchange):
            try await exchanged(message, exchange) { try await sender.deliver($0.fcm(at: now)) }
        case .webhook(let webhook): try await webhook.deliver(message)
        case nil: .refused("nothing is configured that reaches phones of type \(message.type)")
        }
    }

    private func exchanged(
        _ message: PushMessage, _ exchange: TokenExchange, _ deliver: (PushMessage) async throws -> PushResult
    ) async throws -> PushResult {
        switch try await exchange.device(behind: message.address) {
        case .device(let token): try await deliver(message.with(address: token))
        case .gone: .addressGone
        case .later(let reason): .later(reason)
        }
    }
}
