import Base
import Foundation

/// What Huawei is asked to bring to one app.
public struct HMSNotification: Sendable {
    /// The push token.
    public let address: String
    /// Whatever the app reads.
    public let data: JSONObject
    /// What the system shows by itself; `nil` leaves it to the app.
    public let shown: (title: String, body: String)?
    public let expiresAt: Date

    public init(address: String, data: JSONObject, shown: (title: String, body: String)? = nil, expiresAt: Date) {
        (self.address, self.data, self.shown, self.expiresAt) = (address, data, shown, expiresAt)
    }
}

/// Huawei Push Kit (protocols/operations.md, 1.5): `messages:send`, authorised by a token for client credentials
/// (RFC 6749, 4.4).
public final class HMSSender: Sendable {
    public struct Settings: Sendable {
        public static let service = "https://push-api.cloud.huawei.com"
        public static let tokens = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"

        public let endpoint: String
        public let tokenURL: String
        /// The app's id, which is its client id too.
        public let appID: String

        public init(endpoint: String = Settings.service, tokenURL: String = Settings.tokens, appID: String) {
            (self.endpoint, self.tokenURL, self.appID) = (endpoint, tokenURL, appID)
        }
    }

    let settings: Settings
    let secret: SecretBytes
    let post: AuthorizedPost
    let clock: WallClock

    public init(_ settings: Settings, secret: SecretBytes, http: PushHTTP, clock: WallClock) {
        (self.settings, self.secret, self.clock) = (settings, secret, clock)
        post = AuthorizedPost(service: "HMS", scheme: "Bearer", http: http, reason: { $0["code"]?.string })
    }

    public func deliver(_ notification: HMSNotification) async throws -> PushResult {
        let now = clock.now(), seconds = max(1, Int(notification.expiresAt.timeIntervalSince(now)))
        var message: JSONObject = ["data": .string(JSONValue.object(notification.data).text)]
        var android: JSONObject = ["ttl": .string("\(seconds)s"), "urgency": "HIGH"]
        if let (title, body) = notification.shown {
            let texts: JSONObject = ["title": .string(title), "body": .string(body)]
            message["notification"] = .object(texts)
            var shown = texts
            // Opens the app, which must be said.
            shown["click_action"] = ["type": 3]
            android["notification"] = .object(shown)
        }
        message["android"] = .object(android)
        message["token"] = [.string(notification.address)]
        return try await post.send(
            ["validate_only": false, "message": .object(message)],
            to: "\(settings.endpoint)/v1/\(FormCodec.encode(settings.appID))/messages:send", at: now,
            bearer: { [self] in try await fetchToken(at: now) }, meaning: HMSSender.meaning)
    }

    private func fetchToken(at now: Date) async throws -> AuthorizedPost.Bearer {
        try await post.bearer(
            [
                ("grant_type", "client_credentials"), ("client_id", settings.appID),
                ("client_secret", secret.expose { String(decoding: $0, as: UTF8.self) }),
            ], from: settings.tokenURL, at: now)
    }

    /// The code counts, whatever the status: refusals come with 200 as well.
    private static func meaning(_ status: Int, _ code: String) -> AuthorizedPost.Meaning {
        switch code {
        case "80000000": .asStatus
        // No token of the message was good, and it had one.
        case "80300007": .addressGone
        case "80200001", "80200003": .tokenGone
        // An error of the service's own.
        case "81000001": .later
        case "": status == 401 ? .tokenGone : (200..<300).contains(status) ? .later : .asStatus
        default: (200..<300).contains(status) ? .refused : .asStatus
        }
    }
}
