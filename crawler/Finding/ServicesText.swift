import Vocabulary

/// `/services.txt`: lines `type; uri`, `ttl: seconds`, `#` comments; other lines are ignored.
struct ServicesText: Equatable, Sendable {
    /// Absolute or relative to the host's root; at most five, without YAML.
    private(set) var uris: [String] = []
    /// Seconds until the next crawl.
    private(set) var ttl: Int?

    /// - Parameter text: UTF-8, with or without BOM.
    init(_ text: [UInt8]) {
        let body = String(decoding: text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...], as: UTF8.self)
        for line in body.split(whereSeparator: \.isNewline).map(\.trimmingBlanks) where !line.hasPrefix("#") {
            let ttlParts = line.split(separator: ":", maxSplits: 1)
            if ttlParts.count == 2, ttlParts[0].trimmingBlanks.lowercased() == "ttl" {
                ttl = ttl ?? Int(ttlParts[1].trimmingBlanks)
                continue
            }
            let parts = line.split(separator: ";", maxSplits: 1)
            guard parts.count == 2, uris.count < 5 else { continue }
            let type = parts[0].trimmingBlanks.lowercased(), uri = parts[1].trimmingBlanks
            if type.contains("/"), !type.contains("yaml"), !uri.isEmpty { uris.append(String(uri)) }
        }
    }
}
