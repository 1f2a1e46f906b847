import Base

/// The three keys of one exchange, which both of its directions use (protocols/operations.md, 3 and 4.5).
public struct EnvelopeKeys: Sendable {
    let encryption: SecretBytes
    let mac: SecretBytes
    let iv: SecretBytes

    /// From the agreed secret. `info1` is shared information 1, `ephemeral` the phone's key in the form in which it was
    /// sent.
    public init(
        shared: SecretBytes, version: PowerAuthVersion, info1: [UInt8], ephemeral: [UInt8]
    ) throws(PowerAuthRefusal) {
        let prefix = version >= .v32 ? Array(version.rawValue.utf8) : []
        try self.init(envelopeKey: KeyDerivation.x963(shared, info: prefix + info1 + ephemeral, length: 48))
    }

    /// From the 48 bytes that are derived.
    public init(envelopeKey: SecretBytes) throws(PowerAuthRefusal) {
        guard envelopeKey.count == 48 else { throw .keyMalformed }
        encryption = SecretBytes(envelopeKey.expose { $0[0..<16] })
        mac = SecretBytes(envelopeKey.expose { $0[16..<32] })
        iv = SecretBytes(envelopeKey.expose { $0[32..<48] })
    }
}
