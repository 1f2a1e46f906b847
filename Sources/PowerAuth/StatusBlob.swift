import Base

/// What `/pa/v3/activation/status` tells under the transport key (protocols/operations.md, 4.7).
public struct StatusBlob: Equatable, Sendable {
    static let magic: [UInt8] = [0xDE, 0xC0, 0xDE, 0xD1]

    public let state: ActivationState
    public let currentVersion: UInt8
    /// 3, so that no SDK begins an upgrade.
    public let upgradeVersion: UInt8
    public let counterByte: UInt8
    public let failed: UInt8
    public let maximumFailed: UInt8
    public let lookAhead: UInt8
    /// 16 bytes by which a phone finds how far its own counter is from the one that the server expects next.
    public let counterHash: [UInt8]

    public init(
        state: ActivationState, counterByte: UInt8, failed: UInt8, maximumFailed: UInt8, lookAhead: UInt8,
        counterHash: [UInt8],
        currentVersion: UInt8 = 3, upgradeVersion: UInt8 = 3
    ) {
        self.state = state
        self.currentVersion = currentVersion
        self.upgradeVersion = upgradeVersion
        self.counterByte = counterByte
        self.failed = failed
        self.maximumFailed = maximumFailed
        self.lookAhead = lookAhead
        self.counterHash = counterHash
    }

    public static func counterHash(_ counter: HashCounter, transport: SecretBytes) throws(PowerAuthRefusal) -> [UInt8] {
        try KeyDerivation.internal(KeyDerivation.numbered(transport, KeyDerivation.Index.counterHash), counter.bytes)
            .expose { $0 }
    }

    /// The IV of one answer: `challenge` is the phone's, `nonce` the server's.
    public static func initializationVector(
        challenge: [UInt8], nonce: [UInt8], transport: SecretBytes
    ) throws(PowerAuthRefusal) -> [UInt8] {
        try KeyDerivation.internal(KeyDerivation.numbered(transport, KeyDerivation.Index.statusIV), challenge + nonce)
            .expose { $0 }
    }

    /// 32 bytes. `filler` is five random ones.
    public func seal(
        challenge: [UInt8], nonce: [UInt8], filler: [UInt8], transport: SecretBytes
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard filler.count == 5, counterHash.count == 16 else { throw .plaintextMalformed }
        let head = Self.magic + [state.number, currentVersion, upgradeVersion] + filler
        let blob = head + [counterByte, failed, maximumFailed, lookAhead] + counterHash
        let iv = try Self.initializationVector(challenge: challenge, nonce: nonce, transport: transport)
        return try BlockCipher.encrypt(blob, key: transport, iv: iv, padded: false)
    }

    /// For the phone. `ciphertextMalformed` when it was made for somebody else, or is noise.
    public init(
        opening bytes: [UInt8], challenge: [UInt8], nonce: [UInt8], transport: SecretBytes
    ) throws(PowerAuthRefusal) {
        let iv = try Self.initializationVector(challenge: challenge, nonce: nonce, transport: transport)
        let blob = try BlockCipher.decrypt(bytes, key: transport, iv: iv, padded: false)
        guard blob.count == 32, blob.starts(with: Self.magic), let state = ActivationState(number: blob[4]) else {
            throw .ciphertextMalformed
        }
        self.init(
            state: state, counterByte: blob[12], failed: blob[13], maximumFailed: blob[14], lookAhead: blob[15],
            counterHash: Array(blob[16...]),
            currentVersion: blob[5], upgradeVersion: blob[6])
    }

    /// For registrations that are unknown or have no keys yet: nobody can tell it from a blob.
    public static func noise(_ randomness: Randomness) -> [UInt8] { randomness.bytes(32) }
}
