import Base
import Foundation

/// A push to one phone. `payload` is what the app reads (protocols/operations.md, 1.5): for APNs the whole payload, for
/// FCM and HMS its `data`, with title and body beside.
public struct PhonePush: Sendable {
    /// `apns`, `fcm` or `hms`.
    public let platform: String
    public let token: String
    /// `development` or `production`; APNs alone.
    public let environment: String?
    public let title: String?
    public let body: String?
    public let payload: JSONObject
    public let expiresAt: Date

    /// With `aps` first, as APNs takes it.
    public var apns: JSONValue {
        var members = JSONObject()
        if let title, let body {
            members["aps"] = ["alert": ["title": .string(title), "body": .string(body)], "sound": "default"]
        } else {
            members["aps"] = ["content-available": 1]
        }
        for (name, value) in payload { members[name] = value }
        return .object(members)
    }
}

public enum PhonePushResult: Sendable, Equatable {
    case delivered
    /// The app is no longer there: the address is forgotten, the registration stays.
    case tokenGone
    /// Nothing that a later try would change.
    case refused(String)
    case later(String)
}

/// The way to the phones, as a closure: rooms of one floor do not share, so `pando` joins this with the senders that it
/// has.
public struct PhonePushDelivery: Sendable {
    public let deliver: @Sendable (PhonePush) async throws -> PhonePushResult

    public init(deliver: @escaping @Sendable (PhonePush) async throws -> PhonePushResult) { self.deliver = deliver }

    /// Hands pushes to whoever reaches the phones: signed as callbacks are.
    public static func webhook(
        url: String, secret: SecretBytes, http: CallbackHTTP, clock: WallClock, randomness: Randomness
    ) -> PhonePushDelivery {
        PhonePushDelivery { push in
            let now = clock.now()
            var data: JSONObject = ["platform": .string(push.platform), "token": .string(push.token)]
            if let environment = push.environment { data["environment"] = .string(environment) }
            if let title = push.title { data["title"] = .string(title) }
            if let body = push.body { data["body"] = .string(body) }
            data["payload"] = .object(push.payload)
            data["timestampExpires"] = .integer(push.expiresAt.milliseconds)
            let body = JSONValue.object([
                "type": "mtoken.push", "timestamp": .string(now.rfc3339), "data": .object(data),
            ]).text
            let headers = CallbackSignature.headers(
                id: "msg_" + OperationID.fresh(randomness), seconds: now.numericDate, body: body, secret: secret)
            switch try await http.post(CallbackHTTP.Request(url: url, headers: headers, body: Array(body.utf8))) {
            case 200..<300: return .delivered
            case 410: return .tokenGone
            case let status where [408, 425, 429].contains(status) || status >= 500:
                return .later("webhook: status \(status)")
            case let status: return .refused("webhook: status \(status)")
            }
        }
    }
}
