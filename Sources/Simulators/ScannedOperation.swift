import Foundation
import Operations
import PowerAuth

/// What a phone without a network reads from an operation's QR code (protocols/operations.md, 2.4): a line for each
/// item, the signature behind its kind.
public struct ScannedOperation: Sendable {
    public let operationID: String
    public let title: String
    public let message: String
    public let data: String
    public let totp: String?
    public let nonce: [UInt8]

    /// `nil` for anything else, and for what the activation's server key has not signed: `isRight` says of the signed
    /// bytes and the signature whether it has. `kind` is that of the key.
    init?(_ text: String, kind: String, isRight: ([UInt8], [UInt8]) -> Bool) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 7, let last = lines.last, last.hasPrefix(kind),
            let signature = Base64Text.decode(String(last.dropFirst())),
            let nonce = Base64Text.decode(lines[lines.count - 2], count: 16),
            isRight(Array(text.utf8.dropLast(last.utf8.count - 1)), signature)
        else { return nil }
        (operationID, data, self.nonce) = (lines[0], lines[3], nonce)
        (title, message) = (ScannedOperation.plain(lines[1]), ScannedOperation.plain(lines[2]))
        totp = lines.count > 7 ? lines[5] : nil
    }

    /// Title and message are on one line each, so line ends in them are escaped.
    private static func plain(_ text: String) -> String {
        text.components(separatedBy: "\\\\").map { $0.replacingOccurrences(of: "\\n", with: "\n") }.joined(
            separator: "\\")
    }
}
