import Base

/// An operation as a QR code for a phone without a network (protocols/operations.md, 2.4).
public struct OfflineCode: Equatable, Sendable {
    /// Whose key signs: the master pair's for any phone with the app, the registration's for one.
    public enum Signer: String, Sendable {
        case master = "0"
        case registration = "1"
        /// A registration of protocol 4, by a MAC (protocols/powerauth4.md).
        case personalized = "2"
    }

    public struct Flags: Equatable, Sendable {
        /// Biometry may be used in place of the PIN.
        public let biometry: Bool
        /// Turn the buttons round.
        public let flip: Bool
        /// Warn of fraud.
        public let fraud: Bool
        /// Not while the phone is in a call.
        public let blockOnCall: Bool

        public init(biometry: Bool = false, flip: Bool = false, fraud: Bool = false, blockOnCall: Bool = false) {
            self.biometry = biometry
            self.flip = flip
            self.fraud = fraud
            self.blockOnCall = blockOnCall
        }

        public var text: String {
            (biometry ? "B" : "") + (blockOnCall ? "C" : "") + (fraud ? "F" : "") + (flip ? "X" : "")
        }
    }

    public let operationID: String
    public let title: String
    public let message: String
    public let data: String
    public let flags: Flags
    /// Eight digits, where the operation has a proximity check.
    public let totp: String?
    /// 16 bytes.
    public let nonce: [UInt8]
    public let signer: Signer

    /// `offlineDataMalformed` for what would not stay one line each, and for operation data that the app cannot read.
    public init(
        operationID: String, title: String, message: String, data: String, flags: Flags, totp: String?, nonce: [UInt8],
        signer: Signer
    ) throws(PowerAuthRefusal) {
        guard Self.isLine(operationID), Self.isLine(data), Self.isReadable(data), nonce.count == 16 else {
            throw .offlineDataMalformed
        }
        if let totp {
            guard totp.utf8.count == 8, totp.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { throw .offlineDataMalformed }
        }
        self.operationID = operationID
        self.title = title
        self.message = message
        self.data = data
        self.flags = flags
        self.totp = totp
        self.nonce = nonce
        self.signer = signer
    }

    /// Everything before the signature: all that it covers.
    public var signedText: String {
        let head = [operationID, Self.escaped(title), Self.escaped(message), data, flags.text]
        return (head + (totp.map { [$0] } ?? []) + [Base64Text.encode(nonce), signer.rawValue]).joined(separator: "\n")
    }

    /// What the QR code says. `pair` is the one that `signer` names.
    public func text(signedBy pair: PowerAuthKeyPair) throws(PowerAuthRefusal) -> String {
        let signed = signedText
        return signed + Base64Text.encode(try pair.sign(Array(signed.utf8)))
    }

    /// By a master pair of protocol 4.
    public func text(signedBy pair: HybridKeyPair) throws(PowerAuthRefusal) -> String {
        let signed = signedText
        return signed + Base64Text.encode(try pair.sign(Array(signed.utf8)))
    }

    /// For one registration of protocol 4; `key` is `ActivationSecret.personalizedData`, and `signer` is
    /// `personalized`.
    public func text(personalizedBy key: SecretBytes) throws(PowerAuthRefusal) -> String {
        let signed = signedText
        return signed + Base64Text.encode(try KMAC256.mac(key: key, Array(signed.utf8), .offlineCode))
    }

    /// Line breaks and backslashes escaped; other control characters, which apps split lines at or cannot show, become
    /// blanks.
    static func escaped(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": out.append(contentsOf: "\\n".unicodeScalars)
            case _ where isControl(scalar): out.append(" ")
            default: out.append(scalar)
            }
        }
        return String(out)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && !text.unicodeScalars.contains(where: isControl)
    }

    /// A capital and a number of one or two digits, then fields behind asterisks.
    private static func isReadable(_ data: String) -> Bool {
        let head = Array(data.utf8.prefix { $0 != UInt8(ascii: "*") })
        guard let first = head.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first),
            (2...3).contains(head.count)
        else { return false }
        return head.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
