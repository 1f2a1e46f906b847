import Base
import Foundation
import Keys

/// Firebase Cloud Messaging, HTTP v1 (protocols/tiqr.md, 1.12): data only, all values strings; authorised by a service
/// account (RFC 7523).
public final class FCMSender: Sendable {
    public struct Settings: Sendable {
        /// `https://fcm.googleapis.com`.
        public let endpoint: String
        public let project: String
        public let clientEmail: String
        public let tokenURL: String

        public init(
            endpoint: String = "https://fcm.googleapis.com", project: String, clientEmail: String,
            tokenURL: String = "https://oauth2.googleapis.com/token"
        ) {
            (self.endpoint, self.project, self.clientEmail, self.tokenURL) = (endpoint, project, clientEmail, tokenURL)
        }
    }

    struct NoToken: Error, CustomStringConvertible { let description: String }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    let settings: Settings
    let key: ProviderKey
    let post: AuthorizedPost
    let clock: WallClock

    /// `key` is RS256, `private_key` of the service account's JSON.
    public init(_ settings: Settings, key: ProviderKey, http: PushHTTP, clock: WallClock) {
        (self.settings, self.key, self.clock) = (settings, key, clock)
        post = AuthorizedPost(service: "FCM", scheme: "Bearer", http: http)
    }

    func deliver(_ message: PushMessage) async throws -> PushResult {
        let now = clock.now()
        let seconds = message.timeout(at: now)
        let body: JSONValue = [
            "message": [
                "token": .string(message.address),
                "data": [
                    "challenge": .string(message.link), "authenticationTimeout": .string(String(seconds)),
                    "text": .string(message.text),
                    "serviceName": .string(message.serviceName),
                ],
                "android": ["ttl": .string("\(seconds)s"), "priority": "high"],
            ]
        ]
        return try await post.send(
            body, to: "\(settings.endpoint)/v1/projects/\(FormCodec.encode(settings.project))/messages:send", at: now,
            bearer: { [self] in try await fetchToken(at: now) }, meaning: FCMSender.meaning)
    }

    private func fetchToken(at now: Date) async throws -> AuthorizedPost.Bearer {
        let assertion = try key.sign(
            [
                "iss": .string(settings.clientEmail), "scope": .string(FCMSender.scope),
                "aud": .string(settings.tokenURL),
                "iat": .integer(now.numericDate), "exp": .integer(now.numericDate + 3_600),
            ], header: ["typ": "JWT"])
        let form = FormCodec.write([
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
        ])
        let answer = try await post.http.send(
            PushHTTP.Request(
                method: "POST", url: settings.tokenURL,
                headers: [("content-type", "application/x-www-form-urlencoded")], body: Array(form.utf8)))
        guard answer.status == 200, let token = answer.json?["access_token"]?.string, !token.isEmpty else {
            throw NoToken(description: "the token endpoint of FCM answers with status \(answer.status)")
        }
        let seconds = answer.json?["expires_in"]?.integer ?? 300
        return (token: token, until: now.addingTimeInterval(TimeInterval(max(0, min(seconds, 3_600) - 60))))
    }

    /// 404 is UNREGISTERED: the app is gone, or its token was replaced.
    private static func meaning(_ status: Int, _ reason: String) -> AuthorizedPost.Meaning {
        switch status {
        case 404: .addressGone
        case 401: .tokenGone
        default: .asStatus
        }
    }
}
