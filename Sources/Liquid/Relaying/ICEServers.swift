import Base
import Foundation

/// Where the two sides of a link find their way to one another: `iceServers` of an RTCConfiguration (WebRTC, 4.2.1).
///
/// TURN lets in who has long-term credentials (RFC 8489, 9.2), which here are made of a secret that this server and the
/// TURN server share (draft-uberti-behave-turn-rest-00, 2.2): the name is the time at which they end and who has them,
/// the password is HMAC-SHA-1 of that. So nothing is kept, a relay cannot be used for long by who was given them, and
/// its operator finds the session in the name. A relay costs: nobody gets any without a wallet, or many at once.
struct ICEServers: Sendable {
    let settings: RelaySettings
    /// By session: a page asks once for each connection.
    private let pace = AddressRateLimit(burst: 30, rate: 0.2)

    init(_ settings: RelaySettings) { self.settings = settings }

    /// By the cookie of a session that has a wallet.
    func document(for presented: PresentedSession, at now: Date) throws(LiquidRefusal) -> JSONValue {
        guard let session = presented.session, session.wallet != nil else { throw .forbidden }
        return try document(for: session, at: now)
    }

    /// Of a token's session too: a person stands behind that, whom the IdP knows, before a wallet has come.
    func document(for session: LiquidSession, at now: Date) throws(LiquidRefusal) -> JSONValue {
        if let seconds = pace.take(from: session.id, at: now) { throw .tooMany(seconds: seconds) }
        // No longer than the session, as far as that is known now.
        let seconds = Int(min(settings.lifetime, session.expiresAt.timeIntervalSince(now)))
        var servers: [JSONValue] = []
        if !settings.stun.isEmpty { servers.append(["urls": JSONValue(strings: settings.stun)]) }
        if let secret = settings.secret, !settings.turn.isEmpty {
            let username = "\(Int(now.timeIntervalSince1970) + seconds):\(session.id)"
            servers.append([
                "urls": JSONValue(strings: settings.turn), "username": .string(username),
                "credential": .string(ICEServers.credential(username, secret)),
            ])
        }
        return ["iceServers": .array(servers), "ttl": .integer(seconds)]
    }

    static func credential(_ username: String, _ secret: SecretBytes) -> String {
        Data(Digest.hmacSHA1(key: secret, username.utf8)).base64EncodedString()
    }
}
