import Base

/// What strangers wrote, made fit to be shown to people: it stays in its line, in its direction, in its length, and
/// nothing in it is invisible.
public enum ShownText {
    /// Controls, direction marks and invisible characters go, blanks run together, at most four marks stack on a
    /// letter; `nil` when nothing is left.
    public static func tidy(_ text: String, limit: Int = 120) -> String? {
        var kept = String.UnicodeScalarView(), count = 0, marks = 0
        for scalar in text.unicodeScalars.prefix(limit * 16) {
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control {
                guard let last = kept.last, last != " " else { continue }
                kept.append(" ")
                (count, marks) = (count + 1, 0)
                continue
            }
            guard isVisible(scalar) else { continue }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: marks += 1
            default: marks = 0
            }
            guard marks <= 4 else { continue }
            kept.append(scalar)
            count += 1
            if count > limit { break }
        }
        while kept.last == " " { kept.removeLast() }
        guard kept.contains(where: { $0.properties.generalCategory != .format }) else { return nil }
        return count > limit ? String(kept.dropLast()) + "…" : String(kept)
    }

    /// Joiners are letters' business in Persian and in emoji, variation selectors too; all else that has no shape of
    /// its own goes.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xFE00...0xFE0F: return true
        case 0x2800: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// An address that a page may link to: http(s), written in ASCII as RFC 3986 has it.
    static func webLink(_ text: String?) -> String? {
        guard let text, WebAddress(text) != nil, isURI(text) else { return nil }
        return text
    }

    /// As `webLink`, or a private-use scheme of an app, which has a dot (RFC 8252, 7.1): never `javascript:` or
    /// `data:`.
    public static func returnLink(_ text: String?) -> String? {
        guard let text, isURI(text) else { return nil }
        return webLink(text)
            ?? (text.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+\-]*(?:\.[A-Za-z0-9+\-]+)+:/#) == nil ? nil : text)
    }

    /// As `webLink`, or a path on this server.
    public static func ownLink(_ text: String) -> String? {
        text.prefixMatch(of: #/\/(?:[^\/]|$)/#) != nil && isURI(text) ? text : webLink(text)
    }

    /// A link that opens an app by a scheme of its own, `scheme://…`; never by one that browsers answer themselves.
    public static func appLink(_ text: String) -> String? {
        guard isURI(text), let match = text.prefixMatch(of: #/([a-z][a-z0-9+.\-]*):\/\/[^\/]/#),
            !browserSchemes.contains(String(match.1))
        else { return nil }
        return text
    }

    private static let browserSchemes: Set<String> = [
        "about", "blob", "chrome", "content", "data", "file", "filesystem", "ftp", "http", "https", "intent",
        "javascript", "mailto", "vbscript", "view-source",
        "ws", "wss",
    ]

    private static func isURI(_ text: String) -> Bool {
        text.utf8.count <= 2_048 && text.wholeMatch(of: #/[A-Za-z0-9\-._~:\/?#\[\]@!$&'()*+,;=%]+/#) != nil
    }
}
