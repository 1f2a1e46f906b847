import Base
import PowerAuth

/// What an app reads from the QR code of an operation (protocols/operations.md, 2.4). Written from the SDK's side, so
/// it shares nothing with `OfflineCode`.
public struct ScannedOfflineCode: Equatable, Sendable {
    public let operationID: String
    public let title: String
    public let message: String
    public let data: String
    public let flags: String
    public let totp: String?
    public let nonce: [UInt8]
    /// `0` the master pair, `1` the registration's.
    public let keyType: String
    public let signature: [UInt8]
    public let signedText: String

    public init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 7, !lines[0].isEmpty, let last = lines.last, let type = last.first else { return nil }
        guard let nonce = Base64Text.decode(lines[lines.count - 2], count: 16),
            let signature = Base64Text.decode(String(last.dropFirst()))
        else { return nil }
        operationID = lines[0]
        title = Self.unescaped(lines[1])
        message = Self.unescaped(lines[2])
        data = lines[3]
        flags = lines[4]
        totp = lines.count > 7 ? lines[5] : nil
        self.nonce = nonce
        keyType = String(type)
        self.signature = signature
        signedText = String(text.dropLast(last.count - 1))
    }

    /// Whether the key (33 or 65 bytes) signed it.
    public func isSigned(by key: [UInt8]) -> Bool {
        PublicPoint.isSigned(Array(signedText.utf8), der: signature, by: key)
    }

    /// What the app shows its user after the PIN. `uriID` is what the app has for such operations.
    public func answer(
        keys: [SecretBytes], counter: HashCounter, uriID: String = "/operation/authorize/offline"
    ) -> String {
        let body = ([operationID, data] + (totp.map { [$0] } ?? [])).joined(separator: "&")
        let text =
            """
            POST&\(Base64Text.encode(uriID.utf8))&\(Base64Text.encode(nonce))\
            &\(Base64Text.encode(body.utf8))&offline
            """
        return FactorSignature.decimal(keys: keys, counter: counter, data: Array(text.utf8))
    }

    private static func unescaped(_ text: String) -> String {
        var out = "", letters = Array(text)[...]
        while let letter = letters.popFirst() {
            guard letter == "\\", let next = letters.first, next == "n" || next == "\\" else {
                out.append(letter)
                continue
            }
            letters.removeFirst()
            out.append(next == "n" ? "\n" : "\\")
        }
        return out
    }
}
