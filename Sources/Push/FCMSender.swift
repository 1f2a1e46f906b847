import Base
import Foundation
import Keys

/// What Google is asked to bring to one app.
public struct FCMNotification: Sendable {
    /// The registration token.
    public let address: String
    /// Whatever the app reads: all values are strings.
    public let data: [(name: String, value: String)]
    /// What the system shows by itself; `nil` leaves it to the app.
    public let shown: (title: String, body: String)?
    public let expiresAt: Date

    public init(
        address: String, data: [(name: String, value: String)], shown: (title: String, body: String)? = nil,
        expiresAt: Date
    ) {
        (self.address, self.data, self.shown, self.expiresAt) = (address, data, shown, expiresAt)
    }
}

/// Firebase Cloud Messaging, HTTP v1 (protocols/tiqr.md, 1.12), authorised by a service account (RFC 7523).
public final class FCMSender: Sendable {
    public struct Settings: Sendable {
        public static let service = "https://fcm.googleapis.com"
        public static let tokens = "https://oauth2.googleapis.com/token"

        public let endpoint: String
        public let project: String
        public let clientEmail: String
        public let tokenURL: String

        public init(
            endpoint: String = Settings.service, project: String, clientEmail: String,
            tokenURL: String = Settings.tokens
        ) {
            (self.endpoint, self.project, self.clientEmail, self.tokenURL) = (endpoint, project, clientEmail, tokenURL)
        }
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    let settings: Settings
    let key: ProviderKey
    let post: AuthorizedPost
    let clock: WallClock

    /// `key` is RS256, `private_key` of the service account's JSON.
    public init(_ settings: Settings, key: ProviderKey, http: PushHTTP, clock: WallClock) {
        (self.settings, self.key, self.clock) = (settings, key, clock)
        post = AuthorizedPost(service: "FCM", scheme: "Bearer", http: http, reason: FCMSender.reason)
    }

    public func deliver(_ notification: FCMNotification) async throws -> PushResult {
        let now = clock.now(), seconds = max(1, Int(notification.expiresAt.timeIntervalSince(now)))
        var data = JSONObject()
        for (name, value) in notification.data { data[name] = .string(value) }
        var message: JSONObject = ["token": .string(notification.address), "data": .object(data)]
        if let (title, body) = notification.shown {
            message["notification"] = ["title": .string(title), "body": .string(body)]
        }
        message["android"] = ["ttl": .string("\(seconds)s"), "priority": "high"]
        return try await post.send(
            ["message": .object(message)],
            to: "\(settings.endpoint)/v1/projects/\(FormCodec.encode(settings.project))/messages:send", at: now,
            bearer: { [self] in try await fetchToken(at: now) }, meaning: FCMSender.meaning)
    }

    private func fetchToken(at now: Date) async throws -> AuthorizedPost.Bearer {
        let assertion = try key.sign(
            [
                "iss": .string(settings.clientEmail), "scope": .string(FCMSender.scope),
                "aud": .string(settings.tokenURL),
                "iat": .integer(now.numericDate), "exp": .integer(now.numericDate + 3_600),
            ], header: ["typ": "JWT"])
        return try await post.bearer(
            [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)],
            from: settings.tokenURL, at: now)
    }

    /// The code of FCM itself, or that of all of Google's interfaces.
    private static func reason(_ answer: JSONValue) -> String? {
        let error = answer["error"], own = error?["details"]?.array?.lazy.compactMap { $0["errorCode"]?.string }.first
        return own ?? error?["status"]?.string
    }

    /// UNREGISTERED: the app is gone, or its token was replaced. Without that code 404 is a project that is not there.
    private static func meaning(_ status: Int, _ reason: String) -> AuthorizedPost.Meaning {
        switch (status, reason) {
        case (404, "UNREGISTERED"): .addressGone
        case (401, _): .tokenGone
        default: .asStatus
        }
    }
}
