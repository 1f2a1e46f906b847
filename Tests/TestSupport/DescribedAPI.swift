import Base

/// `/openapi.yaml` as a client reads it. Behind its keys stands JSON, in one line each.
public struct DescribedAPI: Sendable {
    public struct Operation: Sendable {
        /// `requestBody`.
        public var body: JSONValue?
        public var parameters: [JSONValue] = []
        /// By status, or `default`.
        public var answers: [String: JSONValue] = [:]
        /// Summary, description, security.
        public var members: [String: JSONValue] = [:]

        public var bodySchema: JSONValue? { DescribedAPI.schema(of: body) }
    }

    public private(set) var operations: [String: Operation] = [:]
    public private(set) var schemas: [String: JSONValue] = [:]
    public private(set) var securitySchemes: [String: JSONValue] = [:]
    /// Answers that many operations have.
    public private(set) var responses: [String: JSONValue] = [:]
    /// Schemas that something names.
    public private(set) var named: Set<String> = []

    public init(_ text: String) throws {
        var path = "", method = "", part = ""
        for line in text.split(separator: "\n").map({ String($0) }) {
            if let found = line.wholeMatch(of: #/ {2}(/.*|[A-Za-z]+):/#) {
                (path, part) = (String(found.1), String(found.1))
            } else if let found = line.wholeMatch(of: #/ {4}([a-z]+):/#) {
                method = String(found.1)
                operations["\(method) \(path)"] = Operation()
            } else if let found = line.wholeMatch(of: #/ {4}([A-Za-z]+): (.*)/#) {
                let json = try Self.read(found.2), name = String(found.1)
                switch part {
                case "schemas": schemas[name] = json
                case "responses": responses[name] = json
                default: securitySchemes[name] = json
                }
                named.formUnion(Self.names(json))
            } else if let found = line.wholeMatch(of: #/ {8}(- |"?([a-z0-9]+)"?: )(.*)/#) {
                let json = try Self.read(found.3), place = "\(method) \(path)"
                if let status = found.2 {
                    operations[place]?.answers[String(status)] = json
                } else {
                    operations[place]?.parameters.append(json)
                }
                named.formUnion(Self.names(json))
            } else if let found = line.wholeMatch(of: #/ {6}([A-Za-z]+): (.*)/#) {
                let json = try Self.read(found.2), place = "\(method) \(path)"
                if found.1 == "requestBody" {
                    operations[place]?.body = json
                } else {
                    operations[place]?.members[String(found.1)] = json
                }
                named.formUnion(Self.names(json))
            }
        }
    }

    /// With answers that stand elsewhere in their places.
    public subscript(method: String, path: String) -> Operation? {
        guard var operation = operations["\(method) \(path)"] else { return nil }
        operation.answers = operation.answers.mapValues { answer in
            answer["$ref"]?.string.flatMap { responses[Self.name($0)] } ?? answer
        }
        return operation
    }

    private static func name(_ reference: String) -> String { String(reference.split(separator: "/").last ?? "") }

    private static func read(_ text: Substring) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

    private static func names(_ json: JSONValue) -> [String] {
        switch json {
        case .array(let items): return items.flatMap { names($0) }
        case .object(let members):
            let own = members["$ref"]?.string.map { $0.contains("/schemas/") ? [name($0)] : [] } ?? []
            return own + members.flatMap { names($0.value) }
        default: return []
        }
    }

    /// Of a body or an answer: that of its first media type.
    public static func schema(of holder: JSONValue?) -> JSONValue? {
        holder?["content"]?.object?.members.first?.value["schema"]
    }

    /// The schema that a reference names, or itself.
    public func resolved(_ schema: JSONValue?) -> JSONValue? {
        schema?["$ref"]?.string.map { schemas[Self.name($0)] } ?? schema
    }

    // MARK: Whether it is so

    /// What of an answer is not as it is told: its status, a member that is missing or that nobody told of, a type.
    public func faults(_ reply: Reply, _ method: String, _ path: String) -> [String] {
        guard let operation = self[method, path] else { return ["\(method) \(path) is not told"] }
        guard let answer = operation.answers["\(reply.status)"] ?? operation.answers["default"] else {
            return ["\(reply.status) is not told"]
        }
        guard let told = answer["content"]?.object?.members else {
            return reply.body.isEmpty ? [] : ["no body is told"]
        }
        guard let content = told.first(where: { reply[header: "Content-Type"]?.hasPrefix($0.name) == true }) else {
            return ["it is no \(told.map(\.name).joined(separator: " or "))"]
        }
        return faults(content.name == "application/json" ? reply.json : .string(reply.body), content.value["schema"])
    }

    /// What of a body is not as it is told.
    public func faults(asking body: JSONValue, _ method: String, _ path: String) -> [String] {
        faults(body, self[method, path]?.bodySchema)
    }

    public func faults(_ value: JSONValue, _ schema: JSONValue?, at place: String = "") -> [String] {
        guard let schema else { return ["\(place): no schema"] }
        if let name = schema["$ref"]?.string {
            return faults(value, schemas[Self.name(name)], at: place)
        }
        if let choices = schema["anyOf"]?.array ?? schema["oneOf"]?.array {
            let all = choices.map { faults(value, $0, at: place) }
            return all.contains([]) ? [] : all.flatMap { $0 }
        }
        let types = schema["type"]?.strings ?? schema["type"]?.string.map { [$0] } ?? []
        guard types.isEmpty || types.contains(where: { Self.isOf($0, value) }) else {
            return ["\(place): is no \(types.joined(separator: " or "))"]
        }
        if let words = schema["enum"]?.array, !words.contains(value) { return ["\(place): is none of \(words)"] }
        switch value {
        case .array(let items):
            guard let inner = schema["items"] else { return [] }
            return items.flatMap { faults($0, inner, at: place + "[]") }
        case .object(let members):
            return schema["properties"]?.object.map { faults(members, $0, schema, at: place) } ?? []
        case .string(let text):
            guard let inner = schema["contentSchema"] else { return [] }
            return faults((try? JSONReader.read(Array(text.utf8))) ?? .null, inner, at: place + "<>")
        default: return []
        }
    }

    private func faults(
        _ members: JSONObject, _ properties: JSONObject, _ schema: JSONValue, at place: String
    ) -> [String] {
        let missing = (schema["required"]?.strings ?? []).filter { !members.names.contains($0) }.map {
            "\(place).\($0): is missing"
        }
        return missing
            + members.flatMap { member -> [String] in
                guard let told = properties[member.name] else { return ["\(place).\(member.name): nobody told of it"] }
                return faults(member.value, told, at: "\(place).\(member.name)")
            }
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
            ("integer", .integer), ("number", .integer),
            ("number", .number):
            true
        default: false
        }
    }
}
