import Base
import Foundation
import Push

/// Pushes for phones that no configured service reaches, handed to whoever does; signed as Standard Webhooks has it:
/// HMAC-SHA-256 over id, time and body.
public struct PushWebhook: Sendable {
    let url: String
    let secret: SecretBytes
    let http: PushHTTP
    let clock: WallClock

    public init(url: String, secret: SecretBytes, http: PushHTTP, clock: WallClock) {
        (self.url, self.secret, self.http, self.clock) = (url, secret, http, clock)
    }

    func deliver(_ message: PushMessage) async throws -> PushResult {
        let now = clock.now()
        var data: JSONObject = ["identity": .string(message.identity)]
        if let externalID = message.externalID { data["external_id"] = .string(externalID) }
        data["notification_type"] = .string(message.type)
        data["notification_address"] = .string(message.address)
        data["challenge"] = .string(message.link)
        data["text"] = .string(message.text)
        data["service_name"] = .string(message.serviceName)
        data["authentication_timeout"] = .integer(message.timeout(at: now))
        let body = JSONValue.object(["type": "tiqr.push", "timestamp": .string(now.rfc3339), "data": .object(data)])
            .text
        let id = "msg_\(message.collapse)", time = String(now.numericDate)
        let signature = Data(Digest.hmac(key: secret, "\(id).\(time).\(body)".utf8)).base64EncodedString()
        let answer = try await http.send(
            PushHTTP.Request(
                method: "POST", url: url,
                headers: [
                    ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", time),
                    ("webhook-signature", "v1,\(signature)"),
                ],
                body: Array(body.utf8)))
        return answer.status == 410
            ? .addressGone : PushResult(status: answer.status, "webhook: status \(answer.status)")
    }
}
