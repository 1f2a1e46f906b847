import Mustache

/// How values become HTML text and attribute values: scalar by scalar.
///
/// swift-mustache's own escaping goes by `Character`, and a quotation mark with a combining accent behind it is another
/// character: it would pass unescaped and end an attribute. Each template names this content type instead.
struct PageText: MustacheContentType {
    static let name = "PANDO"

    func escapeText(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe.append(contentsOf: "&amp;".unicodeScalars)
            case "<": safe.append(contentsOf: "&lt;".unicodeScalars)
            case ">": safe.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": safe.append(contentsOf: "&quot;".unicodeScalars)
            case "'": safe.append(contentsOf: "&#39;".unicodeScalars)
            case "\r": safe.append(contentsOf: "&#13;".unicodeScalars)
            case "\0": safe.append("\u{FFFD}")
            default: safe.append(scalar)
            }
        }
        return String(safe)
    }
}
