import Base
import Foundation
import Keys

/// Apple's push service with token authentication (protocols/tiqr.md, 1.12).
public struct APNsSender: Sendable {
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
    let http: PushHTTP
    let clock: WallClock
    private let token = KeptToken()

    /// `key` is ES256, from the .p8 file.
    public init(_ settings: Settings, key: ProviderKey, http: PushHTTP, clock: WallClock) {
        (self.settings, self.key, self.http, self.clock) = (settings, key, http, clock)
    }

    func deliver(_ message: PushMessage) async throws -> PushResult {
        let now = clock.now()
        // It becomes part of a path.
        guard !message.address.isEmpty, message.address.utf8.count <= 400, message.address.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return .addressGone }
        let bearer = try await token.token(at: now) { [settings, key] in
            let token = try key.sign(["iss": .string(settings.teamID), "iat": .integer(now.numericDate)], header: ["kid": .string(settings.keyID)])
            return (token: token, until: now.addingTimeInterval(APNsSender.tokenLife))
        }
        let answer = try await http.send(PushHTTP.Request(
            method: "POST", url: "\(settings.endpoint)/3/device/\(message.address.lowercased())",
            headers: [("authorization", "bearer \(bearer)"), ("apns-topic", settings.topic), ("apns-push-type", "alert"), ("apns-priority", "10"),
                      ("apns-expiration", String(message.expiresAt.numericDate)), ("apns-collapse-id", message.collapse), ("content-type", "application/json")],
            body: body(message, at: now).bytes))
        return await outcome(answer)
    }

    private func body(_ message: PushMessage, at now: Date) -> JSONValue {
        ["aps": ["alert": ["body": .string(message.text)], "sound": "default", "mutable-content": 1, "interruption-level": "time-sensitive"],
         "challenge": .string(message.link), "authenticationTimeout": .integer(message.timeout(at: now)), "serviceName": .string(message.serviceName)]
    }

    private func outcome(_ answer: PushHTTP.Answer) async -> PushResult {
        let reason = answer.json?["reason"]?.string ?? ""
        switch (answer.status, reason) {
        case (200..<300, _): return .delivered
        case (410, _), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): return .addressGone
        case (403, "ExpiredProviderToken"):
            await token.forget()
            return .later("APNs: \(reason)")
        case (429, _), (500..., _): return .later("APNs: status \(answer.status) \(reason)")
        default: return .refused("APNs: status \(answer.status) \(reason)")
        }
    }
}
