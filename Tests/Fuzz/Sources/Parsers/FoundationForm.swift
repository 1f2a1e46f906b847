import Foundation

/// Form decoding by Foundation, to compare ours with.
enum FoundationForm {
    /// Bytes beyond ASCII are encoded first: an encoded and a raw one may make a letter together. `nil` for what cannot
    /// be decoded.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = bytes.map {
            $0 == UInt8(ascii: "+") ? " " : $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16)
        }.joined()
        guard let plain = text.removingPercentEncoding else { return nil }
        // Foundation repairs some bytes that are no UTF-8 (%A9) and refuses others (%FF).
        let repaired = plain.unicodeScalars.count { $0 == "\u{FFFD}" } - text.lowercased().ranges(of: "%ef%bf%bd").count
        return repaired == 0 ? plain : nil
    }
}
