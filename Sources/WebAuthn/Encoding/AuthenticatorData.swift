import Base

/// What an authenticator says and signs (WebAuthn, 6.1).
public struct AuthenticatorData: Sendable, Equatable {
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let userPresent = Flags(rawValue: 0x01)
        public static let userVerified = Flags(rawValue: 0x04)
        public static let backupEligible = Flags(rawValue: 0x08)
        public static let backedUp = Flags(rawValue: 0x10)
        public static let attestedCredential = Flags(rawValue: 0x40)
        public static let extensions = Flags(rawValue: 0x80)
    }

    /// Attested credential data (6.5.1).
    public struct Attested: Sendable, Equatable {
        /// The AAGUID, 16 bytes.
        public let model: [UInt8]
        public let id: [UInt8]
        /// COSE_Key as it was written, and as CBOR.
        public let keyBytes: [UInt8]
        public let key: CBOR
    }

    public let bytes: [UInt8]
    public let rpIDHash: [UInt8]
    public let flags: Flags
    public let counter: UInt32
    public let attested: Attested?
    public let extensions: [CBOR.Key: CBOR]?

    /// Everything that the flags announce must be there, and nothing else may follow.
    public init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard bytes.count >= 37 else { throw .authenticatorDataMalformed }
        self.bytes = bytes
        rpIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        attested = try flags.contains(.attestedCredential) ? Self.attested(&rest) : nil
        if flags.contains(.extensions) {
            guard let (value, left) = try? CBORReader.readFirst(rest), let map = value.map,
                map.keys.allSatisfy(\.isText)
            else {
                throw .extensionsMalformed
            }
            extensions = map
            rest = left
        } else {
            extensions = nil
        }
        guard rest.isEmpty else { throw .authenticatorDataMalformed }
    }

    private static func attested(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnRefusal) -> Attested {
        guard rest.count >= 18 else { throw .authenticatorDataMalformed }
        let model = Array(rest.prefix(16))
        let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(18)
        guard (1...1023).contains(length) else { throw .credentialIDLength }
        guard rest.count >= length else { throw .authenticatorDataMalformed }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        guard let (key, left) = try? CBORReader.readFirst(rest) else { throw .keyMalformed }
        defer { rest = left }
        return Attested(model: model, id: id, keyBytes: Array(rest[..<left.startIndex]), key: key)
    }

    /// R9 to R12, A5.
    func check(_ party: RelyingParty) throws(WebAuthnRefusal) {
        guard ConstantTime.equal(rpIDHash, party.idHash) else { throw .rpIDMismatch }
        guard flags.contains(.userPresent) || !party.needsPresence else { throw .userNotPresent }
        guard flags.contains(.userVerified) || party.userVerification != .required else { throw .userNotVerified }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backupStateImpossible }
    }
}

extension CBOR.Key {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
