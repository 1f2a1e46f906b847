import Harness

@testable import Crawler

/// `services.txt`. Beside it: other spellings of the same lines, and for ASCII a reading byte by byte.
enum ServicesTarget {
    static let target = Target("services", run: run)

    private static func run(_ input: [UInt8]) {
        let text = ServicesText(BodyEncoding.page(input, charset: nil))
        require(text.uris.count <= 5, "five links at most")
        let root = certain("the root of a host") { try WebURL("https://site.example/") }
        for uri in text.uris {
            let scalars = uri.unicodeScalars, ends = [scalars.first, scalars.last].compactMap(\.self)
            require(
                ends.count == 2 && !ends.contains { $0 == " " || $0 == "\t" }
                    && !scalars.contains { (0x0A...0x0D).contains($0.value) },
                "one trimmed line: \(uri.debugDescription)")
            if let url = try? root.resolving(uri) { LinkOracle.asked(url) }
        }
        spelled(input, text)
        if input.allSatisfy({ $0 < 0x80 && $0 != 0 }) { counted(input, text) }
    }

    private static func spelled(_ input: [UInt8], _ text: ServicesText) {
        guard String(validating: input, as: UTF8.self) != nil, !input.starts(with: [0xEF, 0xBB, 0xBF]),
            !input.contains(0)
        else { return }
        require(ServicesText([0xEF, 0xBB, 0xBF] + input) == text, "a byte order mark changes nothing")
        require(
            ServicesText(Array("# a comment; /x\n\n".utf8) + input + Array("\n#ttl: 1\nnothing".utf8)) == text,
            "comments, blank lines and words change nothing")
        guard !input.contains(UInt8(ascii: "\r")) else { return }
        let returned = input.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
        require(ServicesText(returned) == text, "CRLF is LF")
    }

    /// The same rules once more, on bytes.
    private static func counted(_ input: [UInt8], _ text: ServicesText) {
        var uris: [String] = [], yaml: [String] = [], ttl: Int?
        for line in input.split(whereSeparator: { (0x0A...0x0D).contains($0) }).map(trimmed)
        where line.first != UInt8(ascii: "#") {
            let seconds = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            if seconds.count == 2, lower(seconds[0]) == "ttl" {
                ttl =
                    ttl
                    ?? Int(String(decoding: trimmed(seconds[1]), as: UTF8.self)).map {
                        min(max(0, $0), ServicesText.longestTTL)
                    }
                continue
            }
            let parts = line.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, lower(parts[0]).contains("/"), !trimmed(parts[1]).isEmpty else { continue }
            let uri = String(decoding: trimmed(parts[1]), as: UTF8.self)
            if lower(parts[0]).contains("yaml") { yaml.append(uri) } else { uris.append(uri) }
        }
        uris = Array((uris + yaml).prefix(5))
        require(uris == text.uris, "the lines are read as they stand: \(uris), \(text.uris)")
        require(ttl == text.ttl, "the first ttl counts")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    private static func lower(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: trimmed(bytes), as: UTF8.self).lowercased()
    }
}
