import Base
import Foundation

/// A code that a person types (RFC 8628, 6.1): eight consonants, so that it spells no word, shown as `BCDF-GHJK`.
public struct UserCode: Sendable, Equatable {
    static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    public let text: String

    /// What was typed, in any case, with or without dashes and blanks; `nil` for anything else.
    public init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard letters.count == 8, letters.allSatisfy(UserCode.letters.contains) else { return nil }
        text = "\(letters.prefix(4))-\(letters.suffix(4))"
    }

    /// Bytes past the last multiple of twenty are thrown away, so that no letter is likelier.
    init(_ randomness: Randomness) {
        var letters: [Character] = []
        while letters.count < 8 {
            letters += randomness.bytes(16).filter { $0 < 240 }.map { UserCode.letters[Int($0) % 20] }
        }
        text = String(letters[..<4]) + "-" + String(letters[4..<8])
    }

    var hash: [UInt8] { Digest.sha256("user code \(text)") }
}
