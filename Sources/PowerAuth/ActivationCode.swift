import Base

/// What a person scans or types to register a phone: ten random bytes and their CRC, four groups of five letters
/// (protocols/operations.md, 4.6).
public struct ActivationCode: Equatable, Sendable, CustomStringConvertible {
    /// `XXXXX-XXXXX-XXXXX-XXXXX`.
    public let text: String

    /// 80 bits that nobody guesses.
    public static func fresh(_ randomness: Randomness) -> ActivationCode {
        ActivationCode(random: Array(randomness.bytes(10).prefix(10)))
    }

    public init(random: [UInt8]) {
        let letters = Array(Base32.encode(random + BigEndian.bytes(CRC16.of(random))))
        text = stride(from: 0, to: letters.count, by: 5).map { String(letters[$0..<min($0 + 5, letters.count)]) }
            .joined(separator: "-")
    }

    /// As it was shown, or `activationCodeMalformed`: no small letters, no blanks, no other dashes, the CRC right.
    public init(_ text: String) throws(PowerAuthRefusal) {
        guard text.utf8.count == 23 else { throw .activationCodeMalformed }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.count == 4, groups.allSatisfy({ $0.utf8.count == 5 }) else { throw .activationCodeMalformed }
        guard let raw = Base32.decode(groups.joined()), raw.count == 12 else { throw .activationCodeMalformed }
        guard BigEndian.bytes(CRC16.of(Array(raw[0..<10]))) == Array(raw[10...]) else { throw .activationCodeMalformed }
        self.text = text
    }

    /// DER ECDSA of the code's text by the application's master pair, in Base64.
    public func signature(by master: PowerAuthKeyPair) throws(PowerAuthRefusal) -> String {
        Base64Text.encode(try master.sign(Array(text.utf8)))
    }

    /// The same by a master pair of protocol 4, whose key of P-384 alone signs it: a code with ML-DSA's signature would
    /// be a QR code that no phone reads (protocols/powerauth4.md).
    public func signature(by master: HybridKeyPair) throws(PowerAuthRefusal) -> String {
        Base64Text.encode(try master.sign(Array(text.utf8)))
    }

    /// What the QR code says.
    public func qrText(signature: String) -> String { "\(text)#\(signature)" }

    /// It is a secret until it is used.
    public var description: String { "(activation code)" }
}
