import Base

/// RSD2 in XML, hierarchical binding (rsd2-specification, "XML"): every member a child element, `name` an attribute.
extension ServiceDocument {
    public var xml: String {
        var out =
            """
            <?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rsd version=\"2.0\" \
            xmlns=\"http://github.com/rsd-spec/rsd\">\n<service>\n
            """
        out += XMLText.element("engineName", engineName) + XMLText.element("engineLink", engineLink)
        out += XMLText.element("engineId", engineID) + XMLText.element("homePageLink", homePageLink) + "<apis>\n"
        for api in offeredAPIs { out += api.xml }
        return out + "</apis>\n</service>\n</rsd>\n"
    }
}

extension ServiceAPI {
    fileprivate var xml: String {
        var out = "<api name=\"\(XMLText.escaped(name))\">\n"
        for word in version.map({ $0.array ?? [$0] }) ?? [] { out += XMLText.element("apiVersion", word.plainText) }
        out += preferred ? XMLText.element("preferred", "true") : ""
        out += XMLText.element("apiLink", link) + XMLText.element("engineId", engineID)
        for word in transport { out += XMLText.element("transport", word) }
        out +=
            XMLText.element("docs", docs) + XMLText.element("description", description)
            + XMLText.element("notes", notes)
        if !settings.isEmpty {
            out += "<settings>\n"
            for (name, value) in settings {
                out += "<setting name=\"\(XMLText.escaped(name))\">\(XMLText.escaped(value.plainText))</setting>\n"
            }
            out += "</settings>\n"
        }
        return out + "</api>\n"
    }
}

extension JSONValue {
    /// A string without its quotes; anything else as JSON.
    fileprivate var plainText: String { string ?? text }
}

/// Text in XML 1.0: markup escaped, characters that XML cannot carry left out.
private enum XMLText {
    static func element(_ name: String, _ value: String?) -> String {
        value.map { "<\(name)>\(escaped($0))</\(name)>\n" } ?? ""
    }

    static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "\t", "\n", "\r": out += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
