import Base
import CryptoExtras
import Foundation

/// A secret as tiqr-server-libphp stores it (protocols/tiqr.md, 1.11): hexadecimal, bare or behind `plain:`; or
/// `openssl:CIPHER:KEY:IV:TAG:CIPHERTEXT`, the last three in base64, of that hexadecimal. AES only: what else that
/// server offers is refused by name.
enum StoredSecret {
    /// Tells nothing of what is stored, the key's id included: where parts are mixed up, that may be the secret.
    enum Unreadable: Error, Equatable, CustomStringConvertible {
        case missing, type, form, cipher(String), key, keyLength, base64(String), sealed, hexadecimal, length, mcrypt

        var description: String {
            switch self {
            case .missing: "there is no secret"
            case .type: "the secret is of a type that is not read here: plain and openssl are"
            case .form: "the encrypted secret is not in the form CIPHER:KEY:IV:TAG:CIPHERTEXT"
            case .cipher(let name):
                "the secret is encrypted with \(name), which is not read here: AES in CBC and GCM is"
            case .key: "the secret is encrypted under a key that --encryption-key does not have"
            case .keyLength: "the key of the secret is not as long as its cipher wants it"
            case .base64(let part): "the \(part) of the encrypted secret is not base64"
            case .sealed: "the secret does not open: another key, or it was changed"
            case .hexadecimal: "the secret is not hexadecimal"
            case .length: "the secret has not 16 to 64 bytes"
            case .mcrypt:
                """
                a secret of 64 bytes without a type before it is what mcrypt encrypted: let the old server decrypt \
                it first
                """
            }
        }
    }

    enum Cipher: String {
        case cbc128 = "aes-128-cbc", cbc192 = "aes-192-cbc", cbc256 = "aes-256-cbc"
        case gcm128 = "aes-128-gcm", gcm192 = "aes-192-gcm", gcm256 = "aes-256-gcm"

        var keyLength: Int {
            switch self {
            case .cbc128, .gcm128: 16
            case .cbc192, .gcm192: 24
            case .cbc256, .gcm256: 32
            }
        }

        var isAuthenticated: Bool {
            switch self {
            case .cbc128, .cbc192, .cbc256: false
            case .gcm128, .gcm192, .gcm256: true
            }
        }
    }

    static func read(_ stored: String?, with keys: StorageKeys) throws(Unreadable) -> SecretBytes {
        guard let stored, !stored.isEmpty else { throw .missing }
        guard let colon = stored.firstIndex(of: ":") else {
            let secret = try bytes(stored)
            // 64 hexadecimal digits encrypted by it, in hexadecimal; phones make 32 bytes.
            guard secret.count < 64 else { throw .mcrypt }
            return secret
        }
        let data = stored[stored.index(after: colon)...]
        switch stored[..<colon] {
        case "plain": return try bytes(data)
        case "openssl":
            let plain = try open(data, with: keys)
            return try bytes(plain.expose { String(decoding: $0, as: UTF8.self) })
        default: throw .type
        }
    }

    /// The plaintext of what stands behind `openssl:`.
    static func open(_ data: some StringProtocol, with keys: StorageKeys) throws(Unreadable) -> SecretBytes {
        let parts = data.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 5 else { throw .form }
        guard let cipher = Cipher(rawValue: parts[0].lowercased()) else { throw .cipher(known(parts[0])) }
        guard let key = keys[parts[1]] else { throw .key }
        guard key.count == cipher.keyLength else { throw .keyLength }
        guard let iv = Data(base64Encoded: parts[2]) else { throw .base64("IV") }
        guard let tag = Data(base64Encoded: parts[3]) else { throw .base64("tag") }
        guard let ciphertext = Data(base64Encoded: parts[4]) else { throw .base64("ciphertext") }
        guard cipher.isAuthenticated || tag.isEmpty else { throw .form }
        do {
            return try key.expose { bytes -> SecretBytes in
                let key = SymmetricKey(data: bytes)
                guard cipher.isAuthenticated else {
                    return SecretBytes(try AES._CBC.decrypt(ciphertext, using: key, iv: AES._CBC.IV(ivBytes: iv)))
                }
                let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: iv), ciphertext: ciphertext, tag: tag)
                return SecretBytes(try AES.GCM.open(box, using: key))
            }
        } catch {
            throw .sealed
        }
    }

    /// A name that may be printed: what stands there may be anything.
    private static func known(_ cipher: String) -> String {
        cipher.wholeMatch(of: #/(?i)(chacha20|(camellia|aria)-(128|192|256)-(cbc|gcm))/#) == nil
            ? "an unknown cipher" : cipher.lowercased()
    }

    private static func bytes(_ hexadecimal: some StringProtocol) throws(Unreadable) -> SecretBytes {
        guard let bytes = Hexadecimal.decode(hexadecimal) else { throw .hexadecimal }
        guard (16...64).contains(bytes.count) else { throw .length }
        return SecretBytes(bytes)
    }
}
