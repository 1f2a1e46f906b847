import Base

/// What belongs to one login and stands in no row: made of its state and a key of this server, so that neither whoever
/// reads the address of an answer nor whoever reads the database knows it.
struct LoginSecrets: Sendable {
    private let key: SecretBytes

    init(_ master: MasterKey) { key = master.derive("upstream login") }

    /// OpenID Connect Core, 3.1.2.1.
    func nonce(_ state: String) -> String { text("nonce", state) }
    /// RFC 7636, 4.1: 43 letters.
    func verifier(_ state: String) -> String { text("verifier", state) }
    /// RFC 7636, 4.2.
    func challenge(_ state: String) -> String { Base64URL.encode(Digest.sha256(verifier(state))) }

    private func text(_ purpose: String, _ state: String) -> String {
        Base64URL.encode(Digest.hmac(key: key, "\(purpose) \(state)".utf8))
    }
}
