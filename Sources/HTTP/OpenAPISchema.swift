import Base

/// Something of JSON by name, for `components/schemas` (JSON Schema 2020-12, as OpenAPI 3.1 has it).
public struct OpenAPISchema: Sendable {
    let name: String
    let json: JSONValue
    /// What its members are like, where it has no example of its own (`OpenAPIExamples`).
    private(set) var memberExamples = JSONObject()

    static let oauthError = OpenAPISchema(
        "OAuthError", "RFC 6749, 5.2; for who would rather have HTML a page in its place.",
        [
            "error!": "A word for programs.", "error_description!": "A sentence for people.",
            "scope": "Which the token lacks (RFC 6750, 3).",
        ], example: ["error": "invalid_request", "error_description": "token is missing"])

    static let page = OpenAPISchema("Page", "A page for people, in their language.", type: "string")
    static let eventStream = OpenAPISchema("EventStream", "Server-sent events (WHATWG HTML, 9.2).", type: "string")

    public typealias Members = [(word: String, meaning: String)]

    /// An object. `members` are words of `OpenAPIMember`, written apart by blanks.
    public init(_ name: String, _ members: String) {
        self.init(
            name: name, about: "", members: members.split(separator: " ").map { (word: String($0), meaning: "") },
            example: Optional.none)
    }

    /// An object, with what each member means; `first` stand before the others. An example is one that the schema holds
    /// for: tests look.
    public init(
        _ name: String, _ about: String, first: Members = [], _ members: KeyValuePairs<String, String>,
        example: JSONValue? = Optional.none
    ) {
        self.init(
            name: name, about: about, members: first + members.map { (word: $0.key, meaning: $0.value) },
            example: example)
    }

    private init(name: String, about: String, members: Members, example: JSONValue?) {
        var properties = JSONObject(), needed: [String] = []
        for (word, meaning) in members {
            let member = OpenAPIMember(word)
            if member.isNeeded { needed.append(member.name) }
            properties[member.name] = OpenAPISchema.described(member.type, meaning)
        }
        var object: JSONObject = ["type": "object"]
        if !about.isEmpty { object["description"] = .string(about) }
        if !needed.isEmpty { object["required"] = JSONValue(strings: needed) }
        object["properties"] = .object(properties)
        if let example { object["examples"] = .array([example]) }
        self.name = name
        json = .object(object)
    }

    /// What is no object: its type as a member's is written.
    public init(_ name: String, _ about: String, type word: String, example: JSONValue? = Optional.none) {
        var object = OpenAPISchema.described(OpenAPIMember.type(word[...]), about).object ?? [:]
        if let example { object["examples"] = .array([example]) }
        self.name = name
        json = .object(object)
    }

    /// An object with all that `document` has: members are of the types that they have there, and needed.
    public init(_ name: String, _ about: String, like document: JSONValue) {
        let members = document.object?.members ?? []
        var object: JSONObject = ["type": "object", "description": .string(about)]
        object["required"] = JSONValue(strings: members.map(\.name))
        object["properties"] = .object(JSONObject(members.map { ($0.name, OpenAPISchema.type(of: $0.value)) }))
        object["examples"] = [document]
        self.name = name
        json = .object(object)
    }

    private static func type(of value: JSONValue) -> JSONValue {
        switch value {
        case .object: return ["type": "object"]
        case .array(let items): return ["type": "array", "items": items.first.map { type(of: $0) } ?? .object([:])]
        case .string: return ["type": "string"]
        case .bool: return ["type": "boolean"]
        case .integer: return ["type": "integer"]
        default: return .object([:])
        }
    }

    /// One of several, told apart by a member: names of schemas by its value.
    public init(_ name: String, _ about: String, by member: String, _ choices: [(value: String, schema: String)]) {
        let references = choices.map { OpenAPISchema.reference($0.schema) }
        let mapping = choices.map { ($0.value, JSONValue.string(OpenAPISchema.place + $0.schema)) }
        self.name = name
        json = [
            "description": .string(about), "oneOf": .array(references),
            "discriminator": ["propertyName": .string(member), "mapping": .object(JSONObject(mapping))],
        ]
    }

    /// An object of fields, without a name.
    static func form(_ words: [String]) -> JSONValue { OpenAPISchema("", words.joined(separator: " ")).json }

    private static func described(_ type: JSONValue, _ meaning: String) -> JSONValue {
        guard !meaning.isEmpty, var members = type.object else { return type }
        members["description"] = .string(meaning)
        return .object(members)
    }

    // MARK: References

    static func reference(_ name: some StringProtocol) -> JSONValue { ["$ref": .string("\(place)\(name)")] }

    /// The name that `{"$ref": …}` says.
    static func referenced(by json: JSONValue) -> String? {
        json["$ref"]?.string.map { String($0.dropFirst(place.count)) }
    }

    func exemplified(by members: JSONObject) -> OpenAPISchema {
        var schema = self
        schema.memberExamples = members
        return schema
    }

    /// The names of the schemas that it names itself.
    var references: [String] { OpenAPISchema.references(in: json) }

    private static let place = "#/components/schemas/"

    private static func references(in json: JSONValue) -> [String] {
        switch json {
        case .array(let items): return items.flatMap { references(in: $0) }
        case .object(let members):
            return members.flatMap { member -> [String] in
                guard member.name == "$ref", let text = member.value.string else { return references(in: member.value) }
                return [String(text.dropFirst(place.count))]
            }
        default: return []
        }
    }
}

/// A member of an object, or a parameter, in one word:
///
/// | word | |
/// |---|---|
/// | `name` | a string |
/// | `name:integer` `name:any` `name:string,number` | of another type of JSON, of any, of one of several |
/// | `name:=this` `name:=this\|that` | one of these words; of `true` and `false`, the flags |
/// | `name:Other` `name:One/Other` `name:[Other]` `name:[string]` | a schema, one of several, a list |
/// | `name:<Other>` | a string that holds JSON |
/// | `name:Other?` | or null |
///
/// One that must be there ends in `!`, or its name does.
struct OpenAPIMember: Sendable {
    let name: String
    let isNeeded: Bool
    /// Its schema.
    let type: JSONValue

    init(_ word: String) {
        let parts = (word.hasSuffix("!") ? word.dropLast() : word[...]).split(separator: ":", maxSplits: 1)
        let named = parts.first ?? ""
        isNeeded = word.hasSuffix("!") || named.hasSuffix("!")
        name = String(named.hasSuffix("!") ? named.dropLast() : named)
        type = OpenAPIMember.type(parts.count > 1 ? parts[1] : "string")
    }

    static func type(_ word: Substring) -> JSONValue {
        if word.hasSuffix("?") { return ["anyOf": [OpenAPIMember.type(word.dropLast()), ["type": "null"]]] }
        if word.hasPrefix("=") { return choice(word.dropFirst().split(separator: "|")) }
        if word.hasPrefix("[") { return ["type": "array", "items": OpenAPIMember.type(word.dropFirst().dropLast())] }
        if word.hasPrefix("<") {
            return [
                "type": "string", "contentMediaType": "application/json",
                "contentSchema": OpenAPISchema.reference(word.dropFirst().dropLast()),
            ]
        }
        if word == "any" { return [:] }
        if word.contains("/") { return ["anyOf": .array(word.split(separator: "/").map { OpenAPIMember.type($0) })] }
        if word.contains(",") { return ["type": JSONValue(strings: word.split(separator: ",").map { String($0) })] }
        return word.first?.isUppercase == true ? OpenAPISchema.reference(word) : ["type": .string(String(word))]
    }

    private static func choice(_ words: [Substring]) -> JSONValue {
        let areFlags = words.allSatisfy { $0 == "true" || $0 == "false" }
        let values = words.map { word -> JSONValue in areFlags ? .bool(word == "true") : .string(String(word)) }
        return ["type": areFlags ? "boolean" : "string", "enum": .array(values)]
    }
}
