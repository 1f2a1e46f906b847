import Base
import Foundation

/// What `connect.sid` names: the session's id, 22 letters that are no secret, and 43 that are. Whoever is told the one
/// cannot make the other.
struct SessionID: Sendable, Equatable {
    let id: String
    private let secret: String

    init(_ randomness: Randomness) { (id, secret) = (randomness.identifier(), randomness.secretText()) }

    /// The same session under another cookie.
    func renewed(_ randomness: Randomness) -> SessionID { SessionID(id: id, secret: randomness.secretText()) }

    private init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }

    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 65, text.utf8.allSatisfy({ Self.isLetter($0) }) else { return nil }
        (id, secret) = (String(text.prefix(22)), String(text.suffix(43)))
    }

    var text: String { id + secret }

    /// What the database has of it.
    var hash: [UInt8] { Digest.sha256("liquid session \(text)") }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

/// Values of `connect.sid` as express-session has them (protocols/liquid.md, 1.4): `s:`, the session id, a dot, and
/// base64 of HMAC-SHA-256 over the id without padding. So ids that this server did not make are not looked up, and
/// wallets find what they cut out.
struct SessionCookies: Sendable {
    private let key: SecretBytes

    init(master: MasterKey) { key = master.derive("liquid sessions") }

    /// Percent-encoded, as it stands in `Set-Cookie`.
    func value(_ sid: SessionID) -> String {
        "s%3A\(sid.text).\(signature(sid.text).replacing("+", with: "%2B").replacing("/", with: "%2F"))"
    }

    /// Percent-encoded or not; `nil` for what this server did not write.
    func read(_ value: String) -> SessionID? {
        guard value.utf8.count <= 400, let plain = value.removingPercentEncoding, plain.hasPrefix("s:") else {
            return nil
        }
        let parts = plain.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let sid = SessionID(parts[0]), ConstantTime.equal(String(parts[1]), signature(sid.text))
        else { return nil }
        return sid
    }

    private func signature(_ text: String) -> String {
        Data(Digest.hmac(key: key, text.utf8)).base64EncodedString().replacing("=", with: "")
    }
}
