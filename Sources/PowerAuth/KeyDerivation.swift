import Base

/// How PowerAuth makes keys from keys (protocols/operations.md, 4.1).
public enum KeyDerivation {
    /// What numbers of the master secret and of the transport key stand for (4.2).
    public enum Index {
        public static let possession: UInt64 = 1
        public static let knowledge: UInt64 = 2
        public static let biometry: UInt64 = 3
        public static let transport: UInt64 = 1000
        public static let vault: UInt64 = 2000
        public static let statusIV: UInt64 = 3000
        public static let counterHash: UInt64 = 4000
    }

    /// KDF: the key of that number. `keyMalformed` unless `key` has 16 bytes.
    public static func numbered(_ key: SecretBytes, _ index: UInt64) throws(PowerAuthRefusal) -> SecretBytes {
        // Zeros first, then the number: the protocol's own drawing has them the other way round, its code and its
        // vectors have not.
        let block = [UInt8](repeating: 0, count: 8) + BigEndian.bytes(index)
        return SecretBytes(try BlockCipher.encrypt(block, key: key, iv: BlockCipher.zeroIV, padded: false))
    }

    /// KDF_INTERNAL: 16 bytes for `data`.
    public static func `internal`(_ key: SecretBytes, _ data: [UInt8]) -> SecretBytes {
        SecretBytes(fold(Digest.hmac(key: key, data)))
    }

    /// ANSI X9.63 with SHA-256.
    public static func x963(_ secret: SecretBytes, info: [UInt8], length: Int) -> SecretBytes {
        var out: [UInt8] = []
        var round: UInt32 = 1
        while out.count < length {
            out += secret.expose { Digest.sha256($0 + BigEndian.bytes(round) + info) }
            round += 1
        }
        return SecretBytes(out.prefix(length))
    }

    /// The first half XOR the second: 32 bytes become 16.
    public static func fold(_ bytes: [UInt8]) -> [UInt8] {
        zip(bytes.prefix(bytes.count / 2), bytes.suffix(bytes.count / 2)).map { $0 ^ $1 }
    }
}
