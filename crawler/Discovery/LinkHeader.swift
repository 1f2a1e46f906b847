import Vocabulary

/// `Link` headers (RFC 8288, 3 and appendix B.2). By scalars: a combining mark hides neither quote nor bracket.
enum LinkHeader {
    private typealias Rest = Substring.UnicodeScalarView

    static func links(_ values: [String]) -> [FoundLink] { values.flatMap(links) }

    private static func links(_ value: String) -> [FoundLink] {
        var found: [FoundLink] = [], rest: Rest = value.unicodeScalars[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let target = rest[rest.index(after: open)..<close]
            rest = rest[close...].dropFirst()
            var rel = "", type = "", isElsewhere = false
            while let (name, word) = parameter(&rest) {
                switch name {
                // Only the first counts (3.3).
                case "rel": if rel.isEmpty { rel = word }
                case "type": if type.isEmpty { type = word }
                // The link of another resource (3.2).
                case "anchor": isElsewhere = true
                default: break
                }
            }
            if !isElsewhere { found.append(FoundLink(rel: rel, type: type, href: String(target))) }
        }
        return found
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    /// The next `; name[=value]`; `nil` at the end of the link.
    private static func parameter(_ rest: inout Rest) -> (name: String, value: String)? {
        rest = rest.drop(while: isBlank)
        guard rest.first == ";" else { return nil }
        rest = rest.dropFirst().drop { isBlank($0) || $0 == ";" }
        let name = rest.prefix { !isBlank($0) && $0 != "=" && $0 != ";" && $0 != "," },
            folded = String(name).lowercased()
        rest = rest[name.endIndex...].drop(while: isBlank)
        guard rest.first == "=" else { return (folded, "") }
        rest = rest.dropFirst().drop(while: isBlank)
        guard rest.first == "\"" else {
            let word = rest.prefix { !isBlank($0) && $0 != ";" && $0 != "," }
            rest = rest[word.endIndex...]
            return (folded, String(word))
        }
        return (folded, quoted(&rest))
    }

    private static func quoted(_ rest: inout Rest) -> String {
        var word = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { break }
            word.append(scalar == "\\" ? rest.popFirst() ?? "\\" : scalar)
        }
        return String(word)
    }
}
