import Base
import Foundation
import Push

/// Who brings pushes to phones.
public enum PushProvider: String, Sendable, CaseIterable {
    case apns, fcm, hms
}

/// A push to one phone. `payload` is what the app reads (protocols/operations.md, 1.5): for APNs beside `aps`, for FCM
/// and HMS as data, with title and body beside, both or neither.
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
    /// Those of its app, where it has its own.
    let credentials: KeptPushCredentials?
    /// Its app is that of this server, for which the settings are.
    let isOfServer: Bool

    /// With `aps` first, as APNs takes it.
    public var apns: JSONValue {
        var members = JSONObject()
        if let (title, body) = shown {
            members["aps"] = ["alert": ["title": .string(title), "body": .string(body)], "sound": "default"]
        } else {
            members["aps"] = ["content-available": 1]
        }
        for (name, value) in payload { members[name] = value }
        return .object(members)
    }

    var shown: (title: String, body: String)? {
        guard let title, let body else { return nil }
        return (title, body)
    }
}

/// The way to the phones, as a closure.
public struct PhonePushDelivery: Sendable {
    public let deliver: @Sendable (PhonePush) async throws -> PushResult

    public init(deliver: @escaping @Sendable (PhonePush) async throws -> PushResult) { self.deliver = deliver }

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
            let status = try await http.post(
                CallbackHTTP.Request(url: url, headers: headers, body: Array(body.utf8)))
            return status == 410 ? .addressGone : PushResult(status: status, "webhook: status \(status)")
        }
    }
}
