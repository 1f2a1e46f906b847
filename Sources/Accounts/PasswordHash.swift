import Base
import CArgon2

/// An Argon2id hash in its own encoding (RFC 9106), e.g. `$argon2id$v=19$m=19456,t=2,p=1$…`.
public struct PasswordHash: Sendable, CustomStringConvertible {
    /// 19 MiB, two passes, one lane (decisions.md, The server 4).
    enum Cost { static let memoryKiB: UInt32 = 19 * 1024, passes: UInt32 = 2, lanes: UInt32 = 1 }

    public let encoded: String
    public var description: String { "(password hash)" }

    public init(encoded: String) { self.encoded = encoded }

    /// The hash of a password that nobody has, with the cost of real ones: of an account without one, and of none.
    public static let nobody = PasswordHash(
        encoded:
            "$argon2id$v=19$m=19456,t=2,p=1$cGFuZG8gc2F5cyBub2JvZHk$QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE")

    /// Blocking and slow on purpose: only `PasswordHasher` calls it.
    init(hashing password: String, salt: [UInt8]) throws {
        let secret = Array(password.utf8)
        let length = argon2_encodedlen(Cost.passes, Cost.memoryKiB, Cost.lanes, UInt32(salt.count), 32, Argon2_id)
        var text = [CChar](repeating: 0, count: length)
        let status = argon2id_hash_encoded(
            Cost.passes, Cost.memoryKiB, Cost.lanes, secret, secret.count, salt, salt.count, 32, &text, length)
        guard status == ARGON2_OK.rawValue else { throw PasswordHasher.Failed(code: status) }
        encoded = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func matches(_ password: String) -> Bool {
        let secret = Array(password.utf8)
        return argon2id_verify(encoded, secret, secret.count) == ARGON2_OK.rawValue
    }
}
