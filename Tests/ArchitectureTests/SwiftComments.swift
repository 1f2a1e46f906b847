/// Swift without its comments, so that rules about code do not trip over prose. String literals stay: they hold SQL.
///
/// Knows nested comments, raw and multi-line strings and code inside `\(…)`; takes a regex literal for code, which only
/// matters if it holds a lone quotation mark or `//`.
enum SwiftComments {
    private enum Mode {
        case code(openParentheses: Int)
        case string(hashes: Int, quotes: Int)
    }

    /// All that can change the mode; the rest is passed over.
    private static let telling = Set("/#\"()\\\n".utf8)

    static func blankedOut(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output = bytes
        var modes = [Mode.code(openParentheses: 0)]
        var at = 0

        func starts(_ word: String, at index: Int) -> Bool { bytes[index...].starts(with: word.utf8) }

        func run(of byte: Character, from index: Int, atMost limit: Int = .max) -> Int {
            bytes[index...].prefix(limit).prefix { $0 == byte.asciiValue }.count
        }

        func blank(until end: Int) {
            for index in at..<end where bytes[index] != UInt8(ascii: "\n") { output[index] = UInt8(ascii: " ") }
            at = end
        }

        while at < bytes.count {
            guard Self.telling.contains(bytes[at]) else {
                at += 1
                continue
            }
            switch modes[modes.count - 1] {
            case .code(let open):
                let hashes = run(of: "#", from: at)
                if starts("//", at: at) {
                    blank(until: bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count)
                } else if starts("/*", at: at) {
                    blank(until: endOfBlock(bytes, from: at))
                } else if at + hashes < bytes.count, bytes[at + hashes] == UInt8(ascii: "\"") {
                    let quotes = run(of: "\"", from: at + hashes, atMost: 3) == 3 ? 3 : 1
                    modes.append(.string(hashes: hashes, quotes: quotes))
                    at += hashes + quotes
                } else {
                    if bytes[at] == UInt8(ascii: "(") { modes[modes.count - 1] = .code(openParentheses: open + 1) }
                    if bytes[at] == UInt8(ascii: ")") {
                        if open == 0, modes.count > 1 {
                            modes.removeLast()
                        } else {
                            modes[modes.count - 1] = .code(openParentheses: open - 1)
                        }
                    }
                    at += max(1, hashes)
                }
            case .string(let hashes, let quotes):
                let fence = String(repeating: "#", count: hashes)
                if starts(String(repeating: "\"", count: quotes) + fence, at: at) {
                    modes.removeLast()
                    at += quotes + hashes
                } else if starts("\\" + fence + "(", at: at) {
                    modes.append(.code(openParentheses: 0))
                    at += hashes + 2
                } else if starts("\\" + fence, at: at) {
                    at += hashes + 2
                } else {
                    // not closed: not ours to mend
                    if quotes == 1, bytes[at] == UInt8(ascii: "\n") { modes.removeLast() }
                    at += 1
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func endOfBlock(_ bytes: [UInt8], from start: Int) -> Int {
        var depth = 0
        var at = start
        while at + 1 < bytes.count {
            switch (bytes[at], bytes[at + 1]) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                at += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                at += 2
            default: at += 1
            }
            if depth == 0 { return at }
        }
        return bytes.count
    }
}

enum SQLComments {
    /// Line comments only; the migrations have no others.
    static func blankedOut(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.range(of: "--").map { String(line[..<$0.lowerBound]) } ?? String(line) }
            .joined(separator: "\n")
    }
}
