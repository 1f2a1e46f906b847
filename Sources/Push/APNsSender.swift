import Base
import Foundation
import Keys

/// What Apple is asked to bring to one device.
public struct APNsNotification: Sendable {
    /// The device token.
    public let address: String
    /// The whole payload, `aps` included.
    public let payload: JSONValue
    /// Nothing is shown: `aps` has `content-available`, and the app is woken when the device has time for it.
    public let isSilent: Bool
    public let expiresAt: Date
    /// Two with one name become one on the phone; up to 64 bytes.
    public let collapse: String?

    public init(address: String, payload: JSONValue, isSilent: Bool = false, expiresAt: Date, collapse: String? = nil) {
        (self.address, self.payload, self.isSilent) = (address, payload, isSilent)
        (self.expiresAt, self.collapse) = (expiresAt, collapse)
    }
}

/// Apple's push service with token authentication (protocols/tiqr.md, 1.12).
public final class APNsSender: Sendable {
    public struct Settings: Sendable {
        public static let production = "https://api.push.apple.com"
        public static let sandbox = "https://api.sandbox.push.apple.com"

        /// `production`, or the sandbox.
        public let endpoint: String
        public let teamID: String
        public let keyID: String
        /// The app's bundle id.
        public let topic: String

        public init(endpoint: String = Settings.production, teamID: String, keyID: String, topic: String) {
            (self.endpoint, self.teamID, self.keyID, self.topic) = (endpoint, teamID, keyID, topic)
        }
    }

    /// Apple takes a token for an hour, and no new one before 20 minutes.
    private static let tokenLife: TimeInterval = 50 * 60

    let settings: Settings
    let key: ProviderKey
    let post: AuthorizedPost
    let clock: WallClock

    /// `key` is ES256, from the .p8 file.
    public init(_ settings: Settings, key: ProviderKey, http: PushHTTP, clock: WallClock) {
        (self.settings, self.key, self.clock) = (settings, key, clock)
        post = AuthorizedPost(service: "APNs", scheme: "bearer", http: http)
    }

    public func deliver(_ notification: APNsNotification) async throws -> PushResult {
        let now = clock.now(), address = notification.address
        // It becomes part of a path.
        guard !address.isEmpty, address.utf8.count <= 512, address.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return .addressGone
        }
        // Apple refuses silent ones with the priority of those that are shown.
        var headers = [
            (name: "apns-topic", value: settings.topic),
            (name: "apns-push-type", value: notification.isSilent ? "background" : "alert"),
            (name: "apns-priority", value: notification.isSilent ? "5" : "10"),
            (name: "apns-expiration", value: String(notification.expiresAt.numericDate)),
        ]
        if let collapse = notification.collapse { headers.append((name: "apns-collapse-id", value: collapse)) }
        return try await post.send(
            notification.payload, to: "\(settings.endpoint)/3/device/\(address.lowercased())", headers: headers,
            at: now,
            bearer: { [settings, key] in
                let token = try key.sign(
                    ["iss": .string(settings.teamID), "iat": .integer(now.numericDate)],
                    header: ["kid": .string(settings.keyID)])
                return (token: token, until: now.addingTimeInterval(APNsSender.tokenLife))
            }, meaning: APNsSender.meaning)
    }

    /// `DeviceTokenNotForTopic` is about the topic as much as about the token: somebody who mistyped it would have all
    /// addresses forgotten.
    private static func meaning(_ status: Int, _ reason: String) -> AuthorizedPost.Meaning {
        switch (status, reason) {
        case (410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken"): .addressGone
        case (403, "ExpiredProviderToken"): .tokenGone
        default: .asStatus
        }
    }
}
