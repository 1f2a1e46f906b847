import Foundation

/// base64url without padding (RFC 7515, 2).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `nil` for padding, foreign letters, and every second spelling of one value.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) || $0.isWhitespace }) else { return nil }
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding), encode(data) == String(text) else { return nil }
        return [UInt8](data)
    }
}
