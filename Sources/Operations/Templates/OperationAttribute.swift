import Base

/// An attribute that comes with the operation itself, with values in place of parameters: shown behind those of the
/// template, in every language.
struct OperationAttribute: Sendable {
    static let most = 32
    /// Of all together, as text.
    static let longest = 16_384

    let id: String
    let type: String
    let label: String
    /// Beside these three, in order.
    let fields: JSONObject
    /// `nil` for a type of the app's own.
    var kind: AttributeKind? { AttributeKind(rawValue: type) }

    /// As it is checked, or as the row has it.
    init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        id = try members.required("id", limit: 128)
        type = try AttributeType.checked(try members.required("type"))
        label = try members.text("label") ?? ""
        fields = try AttributeType.scalars(json, but: ["id", "type", "label"], of: id)
        guard let kind else { return }
        for (field, _) in fields {
            guard (kind.required + kind.optional).contains(field) else {
                throw .request("\(kind.rawValue) has no field \(field)")
            }
            guard let value = text(field) else {
                throw .request("\(field) of \(id) is a string, an integer or a boolean; write other numbers as strings")
            }
            if let objection = kind.objection(to: value, in: field) {
                throw .request("\(field) of \(id) \(objection)")
            }
        }
        if let missing = kind.required.first(where: { text($0)?.isEmpty != false }) {
            throw .request("\(id): \(kind.rawValue) needs \(missing)")
        }
    }

    /// The field as text.
    func text(_ field: String) -> String? {
        switch fields[field] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    /// Of an operation's draft. Ids are the app's way to find an attribute, so each stands once.
    static func checked(_ items: [JSONValue]?) throws(BackOfficeRefusal) -> [OperationAttribute] {
        guard let items else { return [] }
        guard items.count <= most else { throw .request("attributes are at most \(most)") }
        var attributes: [OperationAttribute] = []
        for item in items { attributes.append(try OperationAttribute(item)) }
        guard Set(attributes.map(\.id)).count == attributes.count else {
            throw .request("an id stands twice in attributes")
        }
        guard JSONValue.array(items).bytes.count <= longest else {
            throw .request("attributes are longer than \(longest) bytes")
        }
        return attributes
    }

    /// As it came, but for the order: `type` first.
    var json: JSONValue {
        .object(
            JSONObject(
                [("type", .string(type)), ("id", .string(id)), ("label", .string(label))]
                    + fields.map { ($0.name, $0.value) }))
    }
}

/// What the SDKs read of an attribute whose type they do not know: they show nothing of it, and give it to the app
/// (`UNKNOWN`).
enum AttributeType {
    static let mostFields = 32
    static let longestText = 4_096

    /// A type of the SDKs', or one of the app's own, which is told from a slip of the pen by its letters.
    static func checked(_ type: String) throws(BackOfficeRefusal) -> String {
        if AttributeKind(rawValue: type) != nil { return type }
        guard Placeholders.isName(type) else {
            throw .request("type of an attribute has 1 to 64 letters, digits, '.', '_' and '-'")
        }
        if let meant = AttributeKind(rawValue: type.uppercased().replacing("-", with: "_")) {
            throw .request("type of an attribute is written \(meant.rawValue)")
        }
        return type
    }

    /// All members of `json` but those; each a text, a number or a boolean. The Android SDK reads an array within an
    /// attribute for ever, and loses the whole list over a null.
    static func scalars(
        _ json: JSONValue, but own: Set<String>, of id: String
    ) throws(BackOfficeRefusal) -> JSONObject {
        let found = (json.object ?? [:]).filtered { !own.contains($0) }
        guard found.names.count <= mostFields else { throw .request("\(id) has more than \(mostFields) members") }
        for (name, value) in found {
            guard Placeholders.isName(name) else {
                throw .request("a member of \(id) has a name of 1 to 64 letters, digits, '.', '_' and '-'")
            }
            switch value {
            case .null: throw .request("\(name) of \(id) is null: leave it out")
            case .array, .object: throw .request("\(name) of \(id) is a string, a number or a boolean")
            case .bool, .integer, .number: continue
            case .string(let text):
                guard !ControlCharacters.isIn(text, butNewline: true) else {
                    throw .request("\(name) of \(id) has control characters")
                }
                guard text.utf8.count <= longestText else {
                    throw .request("\(name) of \(id) is longer than \(longestText) bytes")
                }
            }
        }
        return found
    }
}
