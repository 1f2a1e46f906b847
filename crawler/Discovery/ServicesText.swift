import Vocabulary

/// `/services.txt`: lines `type; uri`, `ttl: seconds`, `#` comments; other lines are ignored. By scalars: a combining
/// mark changes no sign before it.
struct ServicesText: Equatable, Sendable {
    /// The longest ttl that counts, in seconds.
    static let longestTTL = 7 * 86_400

    /// Absolute or relative to the host's root; at most five, those of YAML last.
    private(set) var uris: [String] = []
    /// Seconds until the next crawl.
    private(set) var ttl: Int?

    /// - Parameter text: UTF-8, with or without BOM.
    init(_ text: [UInt8]) {
        let body = String(decoding: text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...], as: UTF8.self)
        var yaml: [String] = []
        for piece in body.unicodeScalars.split(whereSeparator: ServicesText.endsLine) {
            let line = Substring(piece).trimmingBlanks
            guard line.unicodeScalars.first != "#" else { continue }
            if let (name, seconds) = ServicesText.halves(line, at: ":"), name.lowercased() == "ttl" {
                ttl = ttl ?? Int(seconds).map { min(max(0, $0), ServicesText.longestTTL) }
                continue
            }
            guard let (type, uri) = ServicesText.halves(line, at: ";"), !uri.isEmpty else { continue }
            guard type.utf8.contains(UInt8(ascii: "/")) else { continue }
            if type.lowercased().contains("yaml") {
                if yaml.count < 5 { yaml.append(String(uri)) }
            } else if uris.count < 5 {
                uris.append(String(uri))
            }
        }
        uris += yaml.prefix(5 - uris.count)
    }

    /// What stands before and behind the first `sign`, trimmed.
    private static func halves(_ line: Substring, at sign: Unicode.Scalar) -> (Substring, Substring)? {
        let scalars = line.unicodeScalars
        guard let place = scalars.firstIndex(of: sign) else { return nil }
        return (Substring(scalars[..<place]).trimmingBlanks, Substring(scalars[place...].dropFirst()).trimmingBlanks)
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        (0x0A...0x0D).contains(scalar.value) || scalar.value == 0x85 || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
