import Base
import Foundation
import Keys

/// Apple's push service with token authentication (protocols/tiqr.md, 1.12).
public final class APNsSender: Sendable {
    public struct Settings: Sendable {
        /// `https://api.push.apple.com`, or the sandbox.
        public let endpoint: String
        public let teamID: String
        public let keyID: String
        /// The app's bundle id.
        public let topic: String

        public init(endpoint: String = "https://api.push.apple.com", teamID: String, keyID: String, topic: String) {
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

    func deliver(_ message: PushMessage) async throws -> PushResult {
        let now = clock.now()
        // It becomes part of a path.
        guard !message.address.isEmpty, message.address.utf8.count <= 400,
            message.address.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return .addressGone }
        return try await post.send(
            body(message, at: now), to: "\(settings.endpoint)/3/device/\(message.address.lowercased())",
            headers: [
                ("apns-topic", settings.topic), ("apns-push-type", "alert"), ("apns-priority", "10"),
                ("apns-expiration", String(message.expiresAt.numericDate)),
                ("apns-collapse-id", message.collapse),
            ],
            at: now,
            bearer: { [settings, key] in
                let token = try key.sign(
                    ["iss": .string(settings.teamID), "iat": .integer(now.numericDate)],
                    header: ["kid": .string(settings.keyID)])
                return (token: token, until: now.addingTimeInterval(APNsSender.tokenLife))
            }, meaning: APNsSender.meaning)
    }

    private func body(_ message: PushMessage, at now: Date) -> JSONValue {
        [
            "aps": [
                "alert": ["body": .string(message.text)], "sound": "default", "mutable-content": 1,
                "interruption-level": "time-sensitive",
            ],
            "challenge": .string(message.link), "authenticationTimeout": .integer(message.timeout(at: now)),
            "serviceName": .string(message.serviceName),
        ]
    }

    private static func meaning(_ status: Int, _ reason: String) -> AuthorizedPost.Meaning {
        switch (status, reason) {
        case (410, _), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): .addressGone
        case (403, "ExpiredProviderToken"): .tokenGone
        default: .asStatus
        }
    }
}
