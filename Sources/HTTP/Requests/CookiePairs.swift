import HTTPTypes
import Hummingbird

/// What a request has of one cookie (RFC 6265bis, 5.8.3).
public enum CookiePairs {
    /// All values under this name, as they came: of two, somebody else set one.
    ///
    /// By bytes, as browsers cut: to Swift U+037E is a semicolon. A neighbour host's cookie with that in it would be
    /// two, the second of any name, `__Host-` and all; and U+0600 at its end would take the cookie behind it away.
    public static func values(of name: String, in request: Request) -> [String] {
        request.headers[values: .cookie].flatMap { line in
            line.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair -> String? in
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map(withoutBlank)
                guard parts.count == 2, parts[0].elementsEqual(name.utf8) else { return nil }
                return String(Substring(parts[1]))
            }
        }
    }

    /// Without the one that stands behind a semicolon.
    private static func withoutBlank(_ part: Substring.UTF8View) -> Substring.UTF8View {
        part.first == UInt8(ascii: " ") ? part.dropFirst() : part
    }
}
