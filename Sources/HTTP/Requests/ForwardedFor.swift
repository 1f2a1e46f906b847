import Base
import HTTPTypes

/// The hops that a request says it came through, oldest first; `nil` for one that is hidden or no address.
///
/// `X-Forwarded-For` where it comes, else `Forwarded` (RFC 7239): every proxy in use writes the first, and hands on a
/// second that it does not know.
///
/// A proxy adds its hop behind what a stranger wrote, so both are cut by scalars: U+0600 at the end of the one makes
/// one `Character` with the comma of the other, and the sender would be nobody.
enum ForwardedFor {
    static func hops(_ headers: HTTPFields) -> [IPAddress?] {
        let plain = headers[values: .forwardedFor]
        guard plain.isEmpty else {
            return plain.flatMap {
                $0.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
                    .map { address(Substring($0).trimmed) }
            }
        }
        return headers[values: .forwarded].flatMap { pieces($0, at: ",").map(forwarded) }
    }

    /// One `forwarded-element` (RFC 7239, 4). Two `for` in one are none.
    private static func forwarded(_ element: Substring) -> IPAddress? {
        let nodes = pieces(element, at: ";").compactMap { pair -> Substring? in
            guard let equals = pair.firstIndex(of: "="), pair[..<equals].trimmed.lowercased() == "for" else {
                return nil
            }
            return pair[pair.index(after: equals)...].trimmed
        }
        guard nodes.count == 1, let node = nodes.first else { return nil }
        guard node.hasPrefix("\"") else { return address(node) }
        guard node.count >= 2, node.hasSuffix("\""), !node.contains("\\") else { return nil }
        return address(node.dropFirst().dropLast())
    }

    /// RFC 7239, 6, and what `X-Forwarded-For` holds in practice: an address, with a port or without.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return IPAddress(text[text.index(after: text.startIndex)..<end]).flatMap { $0.isIPv6 ? $0 : nil }
        }
        if let whole = IPAddress(text) { return whole }
        guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]) else { return nil }
        return IPAddress(text[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Split where no quoted string is open. Where one stays open everything is: a stranger left it so, and does not
    /// swallow what a proxy added behind it.
    private static func pieces(_ text: some StringProtocol, at separator: Unicode.Scalar) -> [Substring] {
        let scalars = Substring(text).unicodeScalars
        let isBalanced = scalars.count { $0 == "\"" }.isMultiple(of: 2)
        var pieces: [Substring] = [], isQuoted = false, start = scalars.startIndex
        for index in scalars.indices {
            if scalars[index] == "\"" { isQuoted = isBalanced && !isQuoted }
            if scalars[index] == separator, !isQuoted {
                pieces.append(Substring(scalars[start..<index]))
                start = scalars.index(after: index)
            }
        }
        return pieces + [Substring(scalars[start...])]
    }
}

extension Substring {
    /// Without the blanks that HTTP allows around a list's members.
    fileprivate var trimmed: Substring {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let front = drop(while: blank)
        return front[..<(front.lastIndex { !blank($0) }.map { front.index(after: $0) } ?? front.startIndex)]
    }
}
