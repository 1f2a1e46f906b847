/// An absolute URI in the characters of RFC 3986 alone, taken apart and otherwise left as it is. Nothing is decoded,
/// lower-cased or mended: what two programs mend differently is what attacks are made of.
///
/// No user information, no control character in any escape, no IPv6 zone, no host that a browser would read as another
/// address.
public struct StrictURI: Sendable, Equatable, CustomStringConvertible {
    /// In words for whoever wrote the URI.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public let description: String
    /// In small letters, as is `host`.
    public let scheme: String
    /// `nil` without an authority; an IPv6 address stands in brackets.
    public let host: String?
    public let port: Int?
    /// Percent-encoded, as is all that follows.
    public let path: String
    public let query: String?
    public let fragment: String?

    public init(_ text: String, longest: Int = 2_000) throws(Malformed) {
        guard text.utf8.count <= longest else { throw Malformed("is longer than \(longest) bytes") }
        try StrictURI.checkCharacters(text)
        guard let colon = text.firstIndex(of: ":"), StrictURI.isScheme(text[..<colon].utf8) else {
            throw Malformed("is not absolute: it must begin with a scheme")
        }
        description = text
        scheme = text[..<colon].lowercased()
        var rest = text[text.index(after: colon)...]
        fragment = StrictURI.cut(&rest, at: "#")
        query = StrictURI.cut(&rest, at: "?")
        guard rest.hasPrefix("//") else {
            (host, port, path) = (nil, nil, String(rest))
            return
        }
        let authority = rest.dropFirst(2).prefix { $0 != "/" }
        path = String(rest.dropFirst(2 + authority.count))
        guard !authority.contains("@") else { throw Malformed("has user information before its host") }
        let (name, number) = StrictURI.split(authority)
        host = try StrictURI.host(name)
        port = try number.map(StrictURI.port)
    }

    /// `localhost`, `127.0.0.1` and `[::1]`, in these spellings alone.
    public var isLoopback: Bool { host == "localhost" || isLoopbackAddress }
    public var isLoopbackAddress: Bool { host == "127.0.0.1" || host == "[::1]" }

    private static func checkCharacters(_ text: String) throws(Malformed) {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            guard byte < 0x80 else {
                throw Malformed("has letters that are not ASCII: write hosts in punycode and the rest percent-encoded")
            }
            guard byte > 0x20, byte < 0x7F else { throw Malformed("has a blank or control character") }
            guard !#""<>\^`{|}"#.utf8.contains(byte) else {
                throw Malformed("has a character that no URI may have, such as a backslash or a quote")
            }
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = bytes[(index + 1)...].prefix(2)
            guard digits.count == 2, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                digits.first != UInt8(ascii: "+")
            else {
                throw Malformed("has a percent sign without two hexadecimal digits")
            }
            guard code >= 0x20, code != 0x7F else { throw Malformed("has a percent-encoded control character") }
        }
    }

    /// What stands behind the first `mark`, which is taken off with it.
    private static func cut(_ text: inout Substring, at mark: Character) -> String? {
        guard let index = text.firstIndex(of: mark) else { return nil }
        defer { text = text[..<index] }
        return String(text[text.index(after: index)...])
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let search =
            authority.hasPrefix("[") ? authority[(authority.firstIndex(of: "]") ?? authority.startIndex)...] : authority
        guard let colon = search.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func port(_ text: Substring) throws(Malformed) -> Int {
        guard text.utf8.allSatisfy(isDigit), (1...5).contains(text.utf8.count), !text.hasPrefix("0"),
            let number = Int(text), number <= 65_535
        else {
            throw Malformed("has a port that is none")
        }
        return number
    }

    private static func host(_ text: Substring) throws(Malformed) -> String {
        guard text.utf8.count <= 253, !text.isEmpty else { throw Malformed("has no host, or one that is too long") }
        if text.hasPrefix("[") {
            let address = text.utf8.dropFirst().dropLast()
            guard text.hasSuffix("]"), (2...45).contains(address.count),
                address.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else {
                throw Malformed("has a host in brackets that is no IPv6 address, or one with a zone")
            }
            return text.lowercased()
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ isLabel($0.utf8) }), let last = labels.last else {
            throw Malformed("has a host that is no name: letters, digits and hyphens between dots")
        }
        // What ends in a number is an address to a browser, whatever its spelling (WHATWG URL, 3.5).
        if isNumber(last.utf8) {
            guard labels.count == 4,
                labels.allSatisfy({
                    Int($0).map { (0...255).contains($0) } == true && ($0.count == 1 || !$0.hasPrefix("0"))
                })
            else {
                throw Malformed("has a number for a host: write an IPv4 address as four decimal numbers")
            }
        }
        return text.lowercased()
    }

    // MARK: Letters

    // By bytes: a regular expression takes some 20 µs, and redirect URIs are read at each request.

    /// RFC 3986, 3.1.
    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { isLetter($0) || isDigit($0) || "+.-".utf8.contains($0) }
    }

    private static func isLabel(_ text: Substring.UTF8View) -> Bool {
        (1...63).contains(text.count) && text.allSatisfy { isLetter($0) || isDigit($0) || "_-".utf8.contains($0) }
    }

    /// Decimal, or hexadecimal behind `0x`, be it without a digit.
    private static func isNumber(_ text: Substring.UTF8View) -> Bool {
        if text.allSatisfy(isDigit) { return !text.isEmpty }
        let (mark, digits) = (text.prefix(2), text.dropFirst(2))
        return (mark.elementsEqual("0x".utf8) || mark.elementsEqual("0X".utf8)) && digits.allSatisfy(isHexadecimal)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: isDigit(byte)
        }
    }
}
