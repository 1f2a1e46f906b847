import Base
import Push

/// Gives the device token behind a pseudo token (protocols/tiqr.md, 1.12). Phones of types APNS, FCM and GCM registered
/// there.
public struct TokenExchange: Sendable {
    let url: String
    let appID: String
    let http: PushHTTP

    public init(url: String, appID: String = "tiqr", http: PushHTTP) {
        (self.url, self.appID, self.http) = (url, appID, http)
    }

    enum Found: Sendable { case device(String), gone, later(String) }

    func device(behind token: String) async throws -> Found {
        let query = FormCodec.write([("appId", appID), ("notificationToken", token)])
        let answer = try await http.send(PushHTTP.Request(method: "GET", url: "\(url)?\(query)"))
        guard (200..<300).contains(answer.status) else {
            // 404 too: what is not there may be the exchange itself.
            return .later("token exchange: status \(answer.status)")
        }
        let text = String(decoding: answer.body, as: UTF8.self).filter { !$0.isWhitespace }
        // It says in words what it has not; device tokens hold neither.
        guard !text.isEmpty, text.utf8.count <= 4_096, !text.contains("<"), !text.lowercased().contains("error") else {
            return .later("token exchange: no device token")
        }
        if text.lowercased().contains("notfound") { return .gone }
        return .device(text)
    }
}
