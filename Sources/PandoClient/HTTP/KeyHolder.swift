import Foundation

/// Sends requests that show a key: DPoP (RFC 9449), or the JWT that eduID's apps make for one request.
public struct KeyHolder: Sendable {
    public let key: SigningKey
    let transport: Transport
    let now: @Sendable () -> Date
    private let nonces = ServerNonces()

    public init(
        key: SigningKey, transport: Transport, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.key, self.transport, self.now) = (key, transport, now)
    }

    /// With a DPoP proof, and with `token` where one is shown. The server's latest nonce goes along; where it asks for
    /// a fresh one (RFC 9449, 8 and 9) the request is sent once more with it.
    public func send(_ request: Transport.Request, showing token: String? = nil) async throws -> Transport.Response {
        let origin = KeyHolder.origin(request.url)
        let first = try await attempt(request, token, nonce: nonces.latest(of: origin), origin)
        guard first.status == 400 || first.status == 401, OAuthError(first).code == .useNonce,
            let nonce = first.header("DPoP-Nonce")
        else { return first }
        return try await attempt(request, token, nonce: nonce, origin)
    }

    private func attempt(
        _ request: Transport.Request, _ token: String?, nonce: String?, _ origin: String
    ) async throws -> Transport.Response {
        var proven = request
        if let token { proven.headers.append(("Authorization", "DPoP \(token)")) }
        proven.headers.append(("DPoP", try proof(request.method, request.url, token: token, nonce: nonce)))
        let response = try await transport.send(proven)
        if let nonce = response.header("DPoP-Nonce") { await nonces.keep(nonce, of: origin) }
        return response
    }

    /// A DPoP proof (RFC 9449, 4.2), with `ath` where there is a token.
    public func proof(_ method: String, _ url: String, token: String? = nil, nonce: String? = nil) throws -> String {
        var claims: [String: JSON] = [
            "htm": .string(method), "htu": .string(KeyHolder.withoutQuery(url)), "jti": .string(Identifiers.random()),
            "iat": .integer(Int(now().timeIntervalSince1970)),
        ]
        if let token { claims["ath"] = .string(Identifiers.sha256(token)) }
        if let nonce { claims["nonce"] = .string(nonce) }
        return try key.sign(claims, header: ["typ": "dpop+jwt", "jwk": key.jwk])
    }

    /// With a JWT made for this request in place of `token`. `holder` is the instance's `client_id`; of an app token,
    /// the app's bundle id.
    public func send(
        _ request: Transport.Request, madeFor token: String, of holder: String
    ) async throws -> Transport.Response {
        guard let id = try? JWT(token).id else { throw JWT.Malformed(description: "the token has no jti") }
        let claims: [String: JSON] = ["iss": .string(holder), "aud": .string(KeyHolder.withoutQuery(request.url))]
        let text = try sign(claims, seconds: 60, header: ["typ": "JWT", "kid": .string(id)])
        var proven = request
        proven.headers.append(("Authorization", "Bearer \(text)"))
        return try await transport.send(proven)
    }

    /// A JWT with `iat`, `exp` and `jti`.
    func sign(_ claims: [String: JSON], seconds: Int, header: [String: JSON]) throws -> String {
        try key.sign(claims.timed(seconds: seconds, now: now()), header: header)
    }

    static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }

    static func origin(_ url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        return String(url[..<scheme.upperBound]) + String(url[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}

/// The latest `DPoP-Nonce` of each origin (RFC 9449, 8.2).
actor ServerNonces {
    private var latest: [String: String] = [:]

    func latest(of origin: String) -> String? { latest[origin] }
    func keep(_ nonce: String, of origin: String) { latest[origin] = nonce }
}

extension [String: JSON] {
    func timed(seconds: Int, now: Date) -> [String: JSON] {
        let now = Int(now.timeIntervalSince1970)
        let times: [String: JSON] = [
            "iat": .integer(now), "exp": .integer(now + seconds), "jti": .string(Identifiers.random()),
        ]
        return merging(times) { own, _ in own }
    }
}
