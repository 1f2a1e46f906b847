import Base

/// One encrypted request and its response (protocols/operations.md, 4.5). General by version; the doors give it 3.3
/// alone.
public struct ECIES: Sendable {
    public let context: ECIESContext
    let keys: EnvelopeKeys

    public init(context: ECIESContext, keys: EnvelopeKeys) {
        self.context = context
        self.keys = keys
    }

    /// The server's side: what `request` was made for with `own`, the temporary key that it names.
    public init(
        answering request: Envelope, own: PowerAuthKeyPair, label: ECIESLabel, context: ECIESContext
    ) throws(PowerAuthRefusal) {
        let shared = try own.sharedSecret(with: request.ephemeralPublicKey)
        let info = Array(label.rawValue.utf8)
        self.init(
            context: context,
            keys: try EnvelopeKeys(
                shared: shared, version: context.version, info1: info, ephemeral: request.ephemeralPublicKey))
    }

    /// The phone's side, towards the temporary key; `sent` is the form in which the request will have the ephemeral
    /// key.
    public init(
        asking peer: [UInt8], ephemeral: PowerAuthKeyPair, sent: [UInt8], label: ECIESLabel, context: ECIESContext
    ) throws(PowerAuthRefusal) {
        let shared = try ephemeral.sharedSecret(with: peer)
        let info = Array(label.rawValue.utf8)
        self.init(
            context: context,
            keys: try EnvelopeKeys(shared: shared, version: context.version, info1: info, ephemeral: sent))
    }

    /// The request's plaintext. The MAC is compared in constant time before anything is decrypted.
    public func open(_ request: Envelope) throws(PowerAuthRefusal) -> [UInt8] {
        try open(request.sealed, ephemeral: request.ephemeralPublicKey)
    }

    /// The response's plaintext, for the phone.
    public func open(_ response: SealedData) throws(PowerAuthRefusal) -> [UInt8] { try open(response, ephemeral: []) }

    /// A response, whose nonce is fresh (16 bytes).
    public func seal(
        response plaintext: [UInt8], nonce: [UInt8], timestamp: Int64
    ) throws(PowerAuthRefusal) -> SealedData {
        try seal(plaintext, nonce: nonce, timestamp: timestamp, ephemeral: [])
    }

    /// A request, for the phone; `ephemeral` as it was given to `init`.
    public func seal(
        request plaintext: [UInt8], nonce: [UInt8], timestamp: Int64, ephemeral: [UInt8]
    ) throws(PowerAuthRefusal) -> SealedData {
        try seal(plaintext, nonce: nonce, timestamp: timestamp, ephemeral: ephemeral)
    }

    private func open(_ data: SealedData, ephemeral: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        guard ConstantTime.equal(mac(data.encryptedData, data.nonce, data.timestamp, ephemeral), data.mac) else {
            throw .macMismatch
        }
        return try BlockCipher.decrypt(data.encryptedData, key: keys.encryption, iv: iv(data.nonce))
    }

    private func seal(
        _ plaintext: [UInt8], nonce: [UInt8], timestamp: Int64, ephemeral: [UInt8]
    ) throws(PowerAuthRefusal) -> SealedData {
        let ciphertext = try BlockCipher.encrypt(plaintext, key: keys.encryption, iv: iv(nonce))
        return SealedData(
            encryptedData: ciphertext, mac: mac(ciphertext, nonce, timestamp, ephemeral), nonce: nonce,
            timestamp: timestamp)
    }

    private func iv(_ nonce: [UInt8]) -> [UInt8] {
        context.version == .v30 ? BlockCipher.zeroIV : KeyDerivation.internal(keys.iv, nonce).expose { $0 }
    }

    private func mac(_ ciphertext: [UInt8], _ nonce: [UInt8], _ timestamp: Int64, _ ephemeral: [UInt8]) -> [UInt8] {
        Digest.hmac(
            key: keys.mac, ciphertext + context.information(nonce: nonce, timestamp: timestamp, ephemeral: ephemeral))
    }
}
