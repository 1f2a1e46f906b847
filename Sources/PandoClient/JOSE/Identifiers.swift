import Crypto
import Foundation

/// Values that nobody guesses: `jti`, `state`, verifiers.
enum Identifiers {
    /// Of so many random bytes, as base64url.
    static func random(bytes count: Int = 16) -> String {
        Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Of the text's bytes, as base64url: `ath`, a code challenge, a thumbprint.
    static func sha256(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }
}
