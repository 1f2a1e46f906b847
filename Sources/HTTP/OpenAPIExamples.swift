import Base

/// An example for each schema that declares none, made of those of its members, so that who reads `/openapi.yaml` sees
/// each body and each answer once as it is. What members are like stands beside the schemas
/// (`[OpenAPISchema].exemplified`); a schema for which none can be made has none, and a test tells of it.
struct OpenAPIExamples {
    /// A branch of a tree is a tree.
    private static let deepest = 6

    private let schemas: [String: OpenAPISchema]

    init(_ schemas: [OpenAPISchema]) { self.schemas = Dictionary(schemas.map { ($0.name, $0) }) { first, _ in first } }

    /// The schema's JSON, with an example where it can have one.
    func completed(_ schema: OpenAPISchema) -> JSONValue { OpenAPIExamples.with(example(of: schema, 0), schema.json) }

    /// A form without a name: `known` fields, and what a page put into the others.
    static func form(_ words: [String], known: JSONObject) -> JSONValue {
        let members = words.map { OpenAPIMember($0) }
        let made = members.compactMap { member -> (String, JSONValue)? in
            if let value = known[member.name] { return (member.name, value) }
            guard member.isNeeded else { return nil }
            return (member.name, member.type["enum"]?.array?.first ?? .string(opaque(member.name)))
        }
        return with(.object(JSONObject(made)), OpenAPISchema.form(words))
    }

    /// Something that a page had from this server and gives back: it looks like `dGhlIGF0dGVtcHQ`.
    private static func opaque(_ name: String) -> String { Base64URL.encode(Array("the \(name)".utf8)) }

    private static func with(_ example: JSONValue?, _ json: JSONValue) -> JSONValue {
        guard let example, var members = json.object, members["examples"] == nil else { return json }
        members["examples"] = .array([example])
        return .object(members)
    }

    private func example(of schema: OpenAPISchema, _ depth: Int) -> JSONValue? {
        guard depth < OpenAPIExamples.deepest else { return nil }
        return schema.memberExamples[schema.name] ?? example(of: schema.json, in: schema, depth)
    }

    private func example(of json: JSONValue, in schema: OpenAPISchema, _ depth: Int) -> JSONValue? {
        if let own = json["examples"]?.array?.first { return own }
        if let name = OpenAPISchema.referenced(by: json) { return schemas[name].flatMap { example(of: $0, depth + 1) } }
        if let choices = (json["oneOf"] ?? json["anyOf"])?.array {
            return choices.lazy.compactMap { example(of: $0, in: schema, depth) }.first
        }
        if let word = json["enum"]?.array?.first { return word }
        if let inner = json["contentSchema"] {
            return example(of: inner, in: schema, depth).map { .string($0.text) }
        }
        if let items = json["items"] { return example(of: items, in: schema, depth).map { .array([$0]) } }
        return json["properties"]?.object.flatMap { object(of: $0, json, in: schema, depth) }
    }

    private func object(
        of properties: JSONObject, _ json: JSONValue, in schema: OpenAPISchema, _ depth: Int
    )
        -> JSONValue?
    {
        let needed = Set(json["required"]?.strings ?? [])
        var made: [(String, JSONValue)] = []
        for (name, type) in properties {
            let known = schema.memberExamples["\(schema.name).\(name)"] ?? schema.memberExamples[name]
            if known == nil, !needed.contains(name) { continue }
            guard let value = known ?? example(of: type, in: schema, depth) else { return nil }
            made.append((name, value))
        }
        // Nothing would be shown of members that may all be left out.
        return made.isEmpty ? nil : .object(JSONObject(made))
    }
}

extension [OpenAPISchema] {
    /// With what members are like, by their name, or by `Schema.member` where it is another one there; under the name
    /// of a schema stands an example of all of it. Optional members that are not named here are left out.
    public func exemplified(by members: JSONObject) -> [OpenAPISchema] { map { $0.exemplified(by: members) } }
}
