import Foundation

/// Unpredictable bytes as a value, so that tests can fix them.
public struct Randomness: Sendable {
    public let bytes: @Sendable (Int) -> [UInt8]

    public init(bytes: @escaping @Sendable (Int) -> [UInt8]) { self.bytes = bytes }

    /// The kernel's generator, by way of the standard library.
    public static let system = Randomness { count in
        // Eight bytes a call, as each is a call of the kernel.
        var generator = SystemRandomNumberGenerator(), bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    /// 256 bits: the strength of everything that is a secret.
    public func secret() -> SecretBytes { SecretBytes(bytes(32)) }

    /// RFC 9562, 5.4. In place of `UUID()`: Foundation reads those from a file, and gives one and the same where no
    /// descriptor is left for it.
    public func uuid() -> UUID {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// 127 bits as text, for identifiers nobody may guess.
    public func identifier() -> String { text(16) }

    /// 255 bits as text, for secrets that are pasted and typed.
    public func secretText() -> String { text(32) }

    /// base64url of `count` bytes but for one bit: it begins with a letter, never with `-`, which a command line would
    /// take for an option.
    private func text(_ count: Int) -> String {
        var bytes = bytes(count)
        bytes[0] &= 0x7f
        return Base64URL.encode(bytes)
    }
}
