import Base
import Push

/// Where the push services are.
struct PushEndpoints: Sendable {
    var apns = APNsSender.Settings.production
    var apnsSandbox = APNsSender.Settings.sandbox
    var fcm = FCMSender.Settings.service
    var fcmTokens = FCMSender.Settings.tokens
    var hms = HMSSender.Settings.service
    var hmsTokens = HMSSender.Settings.tokens
}

/// What reaches one app, by the credentials that there are for it.
struct AppSenders: Sendable {
    private let apns: (production: APNsSender, sandbox: APNsSender)?
    private let fcm: FCMSender?
    private let hms: HMSSender?
    private let clock: WallClock

    /// `tokenURL`: of the service account, where the operator vouches for it.
    init(
        _ all: [PushCredentials], _ endpoints: PushEndpoints, fcmTokens: String? = nil, http: PushHTTP, clock: WallClock
    ) async throws {
        var apns: (APNsSender, APNsSender)?, fcm: FCMSender?, hms: HMSSender?
        for one in all {
            switch one.provider {
            case .apns:
                let key = try await one.key()
                func sender(_ endpoint: String) -> APNsSender {
                    APNsSender(
                        .init(
                            endpoint: endpoint, teamID: one.setting("teamId"), keyID: one.setting("keyId"),
                            topic: one.setting("topic")), key: key, http: http, clock: clock)
                }
                apns = (sender(endpoints.apns), sender(endpoints.apnsSandbox))
            case .fcm:
                fcm = FCMSender(
                    .init(
                        endpoint: endpoints.fcm, project: one.setting("projectId"),
                        clientEmail: one.setting("clientEmail"), tokenURL: fcmTokens ?? endpoints.fcmTokens),
                    key: try await one.key(), http: http, clock: clock)
            case .hms:
                hms = HMSSender(
                    .init(endpoint: endpoints.hms, tokenURL: endpoints.hmsTokens, appID: one.setting("appId")),
                    secret: one.secret, http: http, clock: clock)
            }
        }
        (self.apns, self.fcm, self.hms, self.clock) = (apns, fcm, hms, clock)
    }

    /// `nil` where nothing here reaches its platform.
    func deliver(_ push: PhonePush) async throws -> PushResult? {
        switch PushProvider(rawValue: push.platform) {
        case .apns:
            let sender = push.environment == "development" ? apns?.sandbox : apns?.production
            return try await sender?.deliver(
                APNsNotification(
                    address: push.token, payload: push.apns, isSilent: push.shown == nil, expiresAt: push.expiresAt))
        case .fcm:
            let data = push.payload.map { (name: $0.name, value: $0.value.string ?? $0.value.text) }
            return try await fcm?.deliver(
                FCMNotification(address: push.token, data: data, shown: push.shown, expiresAt: push.expiresAt))
        case .hms:
            return try await hms?.deliver(
                HMSNotification(
                    address: push.token, data: push.payload, shown: push.shown, expiresAt: push.expiresAt))
        case nil: return nil
        }
    }
}

extension PhonePushDelivery {
    /// An app's own credentials first; then, for the server's own app, those of the settings; then the webhook. A topic
    /// is of one app, so nobody is pushed to with the credentials of another.
    static func services(
        server: AppSenders, _ endpoints: PushEndpoints, webhook: PhonePushDelivery?, http: PushHTTP, clock: WallClock
    ) -> PhonePushDelivery {
        // By the id of the credentials, which is another when they are: bearer tokens last for many pushes.
        let remembered = BoundedMemory<String, AppSenders>(most: 1_000)
        return PhonePushDelivery { push in
            if let own = push.credentials {
                let senders: AppSenders
                if let known = remembered[own.id] {
                    senders = known
                } else {
                    senders = try await AppSenders([own.credentials], endpoints, http: http, clock: clock)
                    remembered[own.id] = senders
                }
                if let result = try await senders.deliver(push) { return result }
            }
            if push.isOfServer, let result = try await server.deliver(push) { return result }
            guard let webhook else { return .refused("nothing is configured that reaches \(push.platform)") }
            return try await webhook.deliver(push)
        }
    }
}
