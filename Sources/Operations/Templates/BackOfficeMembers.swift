import Base

/// Members of a body of `/v2`: a member of another type is refused by its name, `null` counts as left out, unknown ones
/// are ignored.
struct BackOfficeMembers: Sendable {
    private let object: JSONObject

    init(_ json: JSONValue) throws(BackOfficeRefusal) {
        guard let object = json.object else { throw .request("the body is a JSON object") }
        self.object = object
    }

    private func member(_ name: String) -> JSONValue? {
        guard let found = object[name], found != .null else { return Optional.none }
        return found
    }

    /// Without control characters, at most `limit` characters; `lines` admits newlines.
    func text(_ name: String, limit: Int = 256, lines: Bool = false) throws(BackOfficeRefusal) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.string else { throw .request("\(name) is a string") }
        guard text.unicodeScalars.count <= limit else { throw .request("\(name) has at most \(limit) characters") }
        guard !ControlCharacters.isIn(text, butNewline: lines) else {
            throw .request("\(name) has no control characters")
        }
        return text
    }

    func required(_ name: String, limit: Int = 256, lines: Bool = false) throws(BackOfficeRefusal) -> String {
        guard let text = try self.text(name, limit: limit, lines: lines), !text.isEmpty else {
            throw .request("\(name) is missing or empty")
        }
        return text
    }

    /// `nil` for an empty one too.
    func filled(_ name: String, limit: Int = 256) throws(BackOfficeRefusal) -> String? {
        let text = try self.text(name, limit: limit)
        return text?.isEmpty == true ? nil : text
    }

    /// An empty one is refused: what it would have narrowed is not everybody's.
    func leftOutOrFilled(_ name: String, limit: Int = 256) throws(BackOfficeRefusal) -> String? {
        let text = try self.text(name, limit: limit)
        guard text?.isEmpty != true else { throw .request("\(name) is empty; leave it out for none") }
        return text
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(BackOfficeRefusal) -> Int? {
        guard let value = member(name) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw .request("\(name) is an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws(BackOfficeRefusal) -> Bool? {
        guard let value = member(name) else { return nil }
        guard let flag = value.bool else { throw .request("\(name) is true or false") }
        return flag
    }

    func strings(_ name: String) throws(BackOfficeRefusal) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let texts = value.strings else { throw .request("\(name) is an array of strings") }
        return texts
    }

    func array(_ name: String) throws(BackOfficeRefusal) -> [JSONValue]? {
        guard let value = member(name) else { return nil }
        guard let items = value.array else { throw .request("\(name) is an array") }
        return items
    }

    func object(_ name: String) throws(BackOfficeRefusal) -> JSONObject? {
        guard let value = member(name) else { return nil }
        guard let object = value.object else { throw .request("\(name) is an object") }
        return object
    }
}

enum ControlCharacters {
    /// General category Cc: C0, DEL and C1.
    static func isIn(_ text: String, butNewline: Bool) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control && !(butNewline && $0 == "\n") }
    }

    /// Without them, and without what turns the direction of writing, so that nothing is drawn backwards; cut to
    /// `limit`; `nil` when nothing is left.
    static func dropped(from text: String?, limit: Int) -> String? {
        let kept = text?.unicodeScalars.filter {
            $0.properties.generalCategory != .control && !$0.properties.isBidiControl
        }
        guard let scalars = kept?.prefix(limit), !scalars.isEmpty else { return nil }
        return String(String.UnicodeScalarView(scalars))
    }
}
