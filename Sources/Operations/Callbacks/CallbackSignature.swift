import Base
import PowerAuth

/// Standard Webhooks: HMAC-SHA-256 over id, time and body, as `v1,BASE64`.
enum CallbackSignature {
    /// As the service keeps it.
    static func text(of secret: SecretBytes) -> String { "whsec_" + secret.expose { Base64Text.encode($0) } }

    static func headers(id: String, seconds: Int, body: String, secret: SecretBytes) -> [(name: String, value: String)]
    {
        let signature = Base64Text.encode(Digest.hmac(key: secret, "\(id).\(seconds).\(body)".utf8))
        return [
            ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", "v1,\(signature)"),
        ]
    }
}
