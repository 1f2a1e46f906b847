import Vocabulary

/// `Link` headers (RFC 8288, 3 and appendix B.2).
enum LinkHeader {
    static func links(_ values: [String]) -> [FoundLink] { values.flatMap(links) }

    private static func links(_ value: String) -> [FoundLink] {
        var found: [FoundLink] = [], rest = value[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let target = rest[open...].dropFirst().prefix { $0 != ">" }
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

    /// The next `; name[=value]`; `nil` at the end of the link.
    private static func parameter(_ rest: inout Substring) -> (name: String, value: String)? {
        rest = rest.drop(while: \.isWhitespace)
        guard rest.first == ";" else { return nil }
        rest = rest.dropFirst().drop { $0.isWhitespace || $0 == ";" }
        let name = rest.prefix { !$0.isWhitespace && !"=;,".contains($0) }
        rest = rest[name.endIndex...].drop(while: \.isWhitespace)
        guard rest.first == "=" else { return (name.lowercased(), "") }
        rest = rest.dropFirst().drop(while: \.isWhitespace)
        guard rest.first == "\"" else {
            let word = rest.prefix { !$0.isWhitespace && !";,".contains($0) }
            rest = rest[word.endIndex...]
            return (name.lowercased(), String(word))
        }
        return (name.lowercased(), quoted(&rest))
    }

    private static func quoted(_ rest: inout Substring) -> String {
        var word = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" { break }
            word.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
        return word
    }
}
