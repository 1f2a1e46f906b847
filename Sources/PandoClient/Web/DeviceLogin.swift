/// A login on another device (RFC 8628): the person types `userCode` at `verificationURI`.
public struct DeviceLogin: Sendable, Redacted {
    public let userCode: String
    public let verificationURI: String
    /// With the code in it, for a QR code.
    public let completeURI: String?
    let code: String
    let interval: Int

    /// Seconds between two questions: what the server says, within reason.
    static func pace(_ seconds: Int) -> Int { min(max(seconds, 1), 600) }

    public var description: String { "device login at \(verificationURI)" }
}

extension WebClient {
    /// `resource` is what the tokens are for (RFC 8707), without one the issuer; `maxAge`, where the issuer looks at
    /// it, how many seconds ago the person may have logged in.
    public func beginDeviceLogin(
        scope: String, resource: String? = nil, maxAge: Int? = nil
    ) async throws -> DeviceLogin {
        var form = [("scope", scope)]
        if let resource { form.append(("resource", resource)) }
        if let maxAge { form.append(("max_age", String(maxAge))) }
        let answer = try await send(form, to: "device_authorization_endpoint").json()
        return DeviceLogin(
            userCode: try answer.text("user_code"), verificationURI: try answer.text("verification_uri"),
            completeURI: answer["verification_uri_complete"]?.string, code: try answer.text("device_code"),
            interval: DeviceLogin.pace(answer["interval"]?.integer ?? 5))
    }

    /// Asks at the server's pace until the person has decided.
    /// - Throws: `OAuthError`: `access_denied`, `expired_token`.
    public func finish(_ login: DeviceLogin) async throws -> Tokens {
        var interval = login.interval
        while true {
            try await Task.sleep(for: .seconds(interval))
            do {
                return try await tokens([
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", login.code),
                ])
            } catch let refusal as OAuthError where refusal.code == .authorizationPending {
                continue
            } catch let refusal as OAuthError where refusal.code == .slowDown {
                interval = DeviceLogin.pace(interval + 5)
            }
        }
    }
}
