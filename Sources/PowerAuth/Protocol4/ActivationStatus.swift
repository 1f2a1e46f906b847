import Base

/// `activationStatus` of `/pa/v4/activation/status`: 48 bytes and their MAC, inside an envelope
/// (protocols/powerauth4.md).
public struct ActivationStatus: Equatable, Sendable {
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The phone has not confirmed the activation yet.
        public static let activationConfirmation = Flags(rawValue: 1 << 0)
        /// The phone has not confirmed the upgrade yet.
        public static let upgradeConfirmation = Flags(rawValue: 1 << 1)
        /// The suite of the registration is no longer taken.
        public static let unsupportedAlgorithm = Flags(rawValue: 1 << 2)
        public static let biometry = Flags(rawValue: 1 << 3)
    }

    static let magic: [UInt8] = [0xDE, 0xC0, 0xDE, 0xD4]
    static let count = 48

    public let state: ActivationState
    public let flags: Flags
    /// 3 as long as an upgrade is not confirmed.
    public let currentVersion: UInt8
    public let upgradeVersion: UInt8
    public let counterByte: UInt8
    public let failed: UInt8
    public let maximumFailed: UInt8
    public let lookAhead: UInt8
    /// 32 bytes, `HashCounter.mac` of the next counter.
    public let counterHash: [UInt8]

    /// `counterHash` has 32 bytes, or `plaintextMalformed`.
    public init(
        state: ActivationState, flags: Flags, counterByte: UInt8, failed: UInt8, maximumFailed: UInt8, lookAhead: UInt8,
        counterHash: [UInt8], currentVersion: UInt8 = 4, upgradeVersion: UInt8 = 4
    ) throws(PowerAuthRefusal) {
        guard counterHash.count == 32 else { throw .plaintextMalformed }
        self.state = state
        self.flags = flags
        self.currentVersion = currentVersion
        self.upgradeVersion = upgradeVersion
        self.counterByte = counterByte
        self.failed = failed
        self.maximumFailed = maximumFailed
        self.lookAhead = lookAhead
        self.counterHash = counterHash
    }

    /// 80 bytes. `filler` is four random ones, `key` is `ActivationSecret.statusMAC`.
    public func bytes(filler: [UInt8], key: SecretBytes) throws(PowerAuthRefusal) -> [UInt8] {
        guard filler.count == 4 else { throw .plaintextMalformed }
        let head = Self.magic + [state.number, currentVersion, upgradeVersion, flags.rawValue] + filler
        let data = head + [counterByte, failed, maximumFailed, lookAhead] + counterHash
        return data + (try KMAC256.mac(key: key, data, .status))
    }

    /// For the phone. `macMismatch` for what another key made, `plaintextMalformed` for what is no status.
    public init(_ bytes: [UInt8], key: SecretBytes) throws(PowerAuthRefusal) {
        guard bytes.count == Self.count + 32 else { throw .plaintextMalformed }
        let data = Array(bytes.prefix(Self.count))
        guard ConstantTime.equal(try KMAC256.mac(key: key, data, .status), Array(bytes.suffix(32))) else {
            throw .macMismatch
        }
        guard data.starts(with: Self.magic), let state = ActivationState(number: data[4]) else {
            throw .plaintextMalformed
        }
        try self.init(
            state: state, flags: Flags(rawValue: data[7]), counterByte: data[12], failed: data[13],
            maximumFailed: data[14], lookAhead: data[15], counterHash: Array(data[16...]), currentVersion: data[5],
            upgradeVersion: data[6])
    }
}
