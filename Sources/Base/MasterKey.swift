import Crypto
import Foundation

/// The key that never enters the database. Everything that must be readable again (signing keys, TOTP secrets) is
/// sealed under it; everything that only must be computable (pseudonyms, refresh chains) is derived from it.
public struct MasterKey: Sendable {
    public struct Unsealable: Error, CustomStringConvertible {
        public let description = "the sealed value was made with another master key, for another row, or was changed"
    }

    /// Names the key without telling it: stored beside what it sealed.
    public let id: String
    private let secret: SecretBytes
    private let sealing: SecretBytes

    /// `secret` is 32 random bytes.
    public init(_ secret: SecretBytes) throws {
        guard secret.count == 32 else { throw Unsealable() }
        self.secret = secret
        id = MasterKey.derive("key id", from: secret).expose { Base64URL.encode($0.prefix(6)) }
        sealing = MasterKey.derive("sealing", from: secret)
    }

    /// A 256-bit key for one purpose (HKDF, RFC 5869).
    public func derive(_ purpose: String) -> SecretBytes { MasterKey.derive(purpose, from: secret) }

    private static func derive(_ purpose: String, from secret: SecretBytes) -> SecretBytes {
        secret.expose { bytes in
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: bytes), info: Data("pando \(purpose)".utf8), outputByteCount: 32)
            return SecretBytes(key.withUnsafeBytes { Array($0) })
        }
    }

    /// AES-256-GCM, nonce first. `row` binds the result to its place: it opens nowhere else.
    public func seal(_ plaintext: SecretBytes, row: String) throws -> [UInt8] {
        try plaintext.expose { bytes in
            let box = try AES.GCM.seal(bytes, using: sealingKey, authenticating: Data(row.utf8))
            guard let combined = box.combined else { throw Unsealable() }
            return Array(combined)
        }
    }

    public func open(_ sealed: [UInt8], row: String) throws -> SecretBytes {
        do {
            return SecretBytes(
                try AES.GCM.open(.init(combined: sealed), using: sealingKey, authenticating: Data(row.utf8)))
        } catch {
            throw Unsealable()
        }
    }

    private var sealingKey: SymmetricKey { sealing.expose { SymmetricKey(data: $0) } }
}
