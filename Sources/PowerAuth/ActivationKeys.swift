import Base

/// What phone and server share after the key exchange (protocols/operations.md, 4.2). Never stored: computed from the
/// server's private key.
public struct ActivationKeys: Sendable {
    public let possession: SecretBytes
    public let knowledge: SecretBytes
    public let biometry: SecretBytes
    public let transport: SecretBytes
    public let vault: SecretBytes

    /// On the server `own` is the registration's pair and `peer` the device's key (33 or 65 bytes); on a phone the
    /// other way round.
    public init(own: PowerAuthKeyPair, peer: [UInt8]) throws(PowerAuthRefusal) {
        let shared = try own.sharedSecret(with: peer)
        try self.init(masterSecret: SecretBytes(shared.expose { KeyDerivation.fold($0) }))
    }

    /// From KEY_MASTER_SECRET, 16 bytes.
    public init(masterSecret: SecretBytes) throws(PowerAuthRefusal) {
        possession = try KeyDerivation.numbered(masterSecret, KeyDerivation.Index.possession)
        knowledge = try KeyDerivation.numbered(masterSecret, KeyDerivation.Index.knowledge)
        biometry = try KeyDerivation.numbered(masterSecret, KeyDerivation.Index.biometry)
        transport = try KeyDerivation.numbered(masterSecret, KeyDerivation.Index.transport)
        vault = try KeyDerivation.numbered(masterSecret, KeyDerivation.Index.vault)
    }

    /// In the order in which a signature has its components.
    public func keys(_ type: FactorType) -> [SecretBytes] {
        type.factors.map { factor in
            switch factor {
            case .possession: possession
            case .knowledge: knowledge
            case .biometry: biometry
            }
        }
    }

    /// What `/pa/v3/vault/unlock` gives: the vault key for the transport key's holder, AES-CBC with padding and IV zero
    /// (4.10).
    public func encryptedVaultKey() throws(PowerAuthRefusal) -> [UInt8] {
        try BlockCipher.encrypt(vault.expose { $0 }, key: transport, iv: BlockCipher.zeroIV)
    }
}
