import Foundation

/// `${name}` in templates: found once, from left to right; what was put in is not looked at again.
enum Placeholders {
    /// `value` gives the text for a name. A `$` that begins no placeholder stands for itself.
    static func fill(_ template: String, _ value: (String) -> String) -> String {
        var out = "", rest = Substring(template)
        while let start = rest.range(of: "${") {
            out += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}"), isName(rest[start.upperBound..<end]) else {
                out += rest[start]
                rest = rest[start.upperBound...]
                continue
            }
            out += value(String(rest[start.upperBound..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return out + rest
    }

    static func names(in template: String) -> [String] {
        var names: [String] = []
        _ = fill(template) { name in
            names.append(name)
            return ""
        }
        return names
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// A value within operation data (protocols/operations.md, 2.2): fields end at `*`, lines at a newline.
    static func escaped(forData value: String) -> String {
        var out = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "*": out += "\\*"
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
