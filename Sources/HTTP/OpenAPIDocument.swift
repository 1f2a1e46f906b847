import Base
import Hummingbird

/// `/openapi.yaml`, made of the route table, so the two cannot differ. OpenAPI 3.1. What stands behind a key is JSON in
/// one line, which is YAML too, so that nothing is quoted by hand.
struct OpenAPIDocument {
    let issuer: String
    let endpoints: [Endpoint]
    /// Those that an endpoint names, themselves or by another one, are told.
    let schemas: [OpenAPISchema]

    var text: String {
        var lines = [
            "openapi: 3.1.0", "info:", "  title: Pando", "  version: \"0.1\"",
            "  description: \(JSONValue.string(OpenAPIDocument.about).text)", "servers:",
            "  - url: \(JSONValue.string(issuer).text)", "tags:",
        ]
        for tag in tags { lines.append("  - \((["name": .string(tag)] as JSONValue).text)") }
        lines.append("paths:")
        for (path, group) in grouped {
            lines.append("  \(path):")
            for endpoint in group { lines += operation(endpoint, path) }
        }
        return (lines + components).joined(separator: "\n") + "\n"
    }

    private static let about = """
        Federation control-plane. An address that does not take a method answers 405 with Allow; a fault of the server \
        is 500 with the same body as other errors.
        """

    /// In the table's order.
    private var tags: [String] {
        var known: Set<String> = []
        return endpoints.flatMap(\.tags).filter { known.insert($0).inserted }
    }

    private func operation(_ endpoint: Endpoint, _ path: String) -> [String] {
        var lines = [
            "    \(endpoint.method.rawValue.lowercased()):",
            "      operationId: \(JSONValue.string(endpoint.operationID).text)",
            "      summary: \(JSONValue.string(endpoint.summary).text)",
        ]
        if !endpoint.tags.isEmpty { lines.append("      tags: \(JSONValue(strings: endpoint.tags).text)") }
        let told = endpoint.shape
        if let about = told?.about, !about.isEmpty {
            lines.append("      description: \(JSONValue.string(about).text)")
        }
        let parameters = OpenAPIDocument.parameters(of: path, told)
        if !parameters.isEmpty { lines.append("      parameters:") }
        lines += parameters.map { "        - \($0.text)" }
        guard let shape = told else {
            return lines + ["      responses:", "        default: {\"description\":\"Nobody told\"}"]
        }
        lines.append("      security: \(OpenAPIDocument.security(shape).text)")
        if shape.takesBody { lines.append("      requestBody: \(OpenAPIDocument.body(shape).text)") }
        lines.append("      responses:")
        if let status = shape.status {
            let done = OtherAnswer(
                String(status), "Done", shape.answer, type: shape.answerType, otherTypes: shape.otherTypes,
                headers: shape.answerHeaders)
            lines.append("        \"\(status)\": \(OpenAPIDocument.answer(done).text)")
        }
        return lines
            + ToldErrors.answers(of: shape, path: path).map { other in
                let answer = other.component.map { name -> JSONValue in ["$ref": .string(Self.responses + name)] }
                return "        \"\(other.status)\": \((answer ?? OpenAPIDocument.answer(other)).text)"
            }
    }

    private static let responses = "#/components/responses/"

    private static func body(_ shape: EndpointShape) -> JSONValue {
        var asked: JSONObject = shape.isBodyNeeded ? ["required": true] : [:]
        let schema =
            shape.body.map { OpenAPISchema.reference($0) }
            ?? OpenAPIExamples.form(shape.form, known: shape.formExample)
        let content = shape.bodyTypes.map { ($0, ["schema": schema] as JSONValue) }
        asked["content"] = .object(JSONObject(content))
        return .object(asked)
    }

    private static func security(_ shape: EndpointShape) -> JSONValue {
        .array(
            shape.security.map { parts -> JSONValue in
                var all = JSONObject()
                for part in parts { all[part.name] = .array([]) }
                return .object(all)
            })
    }

    private static func parameters(of path: String, _ shape: EndpointShape?) -> [JSONValue] {
        let meanings = shape?.meanings ?? [:]
        var told = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part -> JSONValue in
            parameter(String(part.dropFirst().prefix { $0 != "}" }) + "!", in: "path", meanings)
        }
        for word in shape?.query ?? [] { told.append(parameter(word, in: "query", meanings)) }
        for word in shape?.headers ?? [] { told.append(parameter(word, in: "header", meanings)) }
        return told
    }

    private static func parameter(_ word: String, in place: String, _ meanings: [String: String]) -> JSONValue {
        let member = OpenAPIMember(word)
        var json: JSONObject = ["name": .string(member.name), "in": .string(place)]
        if member.isNeeded { json["required"] = .bool(true) }
        json["schema"] = member.type
        if let meaning = meanings[member.name] { json["description"] = .string(meaning) }
        return .object(json)
    }

    private static func answer(_ answer: OtherAnswer) -> JSONValue {
        var json: JSONObject = ["description": .string(answer.about)]
        if !answer.headers.isEmpty {
            let told = answer.headers.sorted { $0.key < $1.key }.map { name, meaning -> (String, JSONValue) in
                (name, ["description": .string(meaning), "schema": ["type": "string"]])
            }
            json["headers"] = .object(JSONObject(told))
        }
        guard let schema = answer.schema else { return .object(json) }
        let types = [(answer.type, schema)] + answer.otherTypes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let content = types.map { type, schema -> (String, JSONValue) in
            (type, ["schema": OpenAPISchema.reference(schema)])
        }
        json["content"] = .object(JSONObject(content))
        return .object(json)
    }

    // MARK: Components

    private var components: [String] {
        let shapes = endpoints.compactMap(\.shape), shown = shapes.flatMap { $0.security.flatMap { $0 } }
        guard !shapes.isEmpty else { return [] }
        let isSecure = issuer.hasPrefix("https:"), schemes = Set(shown).sorted { $0.name < $1.name }
        var lines = ["components:"]
        if !schemes.isEmpty { lines.append("  securitySchemes:") }
        for scheme in schemes { lines.append("    \(scheme.name): \(scheme.json(isSecure: isSecure).text)") }
        lines.append("  responses:")
        for (name, answer) in shared { lines.append("    \(name): \(OpenAPIDocument.answer(answer).text)") }
        lines.append("  schemas:")
        let examples = OpenAPIExamples(schemas)
        for schema in named(by: shapes) { lines.append("    \(schema.name): \(examples.completed(schema).text)") }
        return lines
    }

    /// Answers that stand here once.
    private var shared: [(String, OtherAnswer)] {
        let answers = endpoints.flatMap { endpoint in
            endpoint.shape.map { ToldErrors.answers(of: $0, path: OpenAPIDocument.spelt(endpoint.path)) } ?? []
        }
        let named = answers.compactMap { answer in answer.component.map { ($0, answer) } }
        return Dictionary(named) { first, _ in first }.sorted { $0.key < $1.key }
    }

    private func named(by shapes: [EndpointShape]) -> [OpenAPISchema] {
        let known = Dictionary(schemas.map { ($0.name, $0) }) { first, _ in first }
        var found: Set<String> = [], rest = shapes.flatMap(\.schemas)
        while let name = rest.popLast() {
            if found.insert(name).inserted { rest += known[name]?.references ?? [] }
        }
        return schemas.filter { found.contains($0.name) }
    }

    private static func spelt(_ path: String) -> String { path.replacing("**", with: "{rest}") }

    /// In the table's order, methods of one path together.
    private var grouped: [(String, [Endpoint])] {
        var order: [String] = []
        var byPath: [String: [Endpoint]] = [:]
        for endpoint in endpoints {
            let path = OpenAPIDocument.spelt(endpoint.path)
            if byPath[path] == nil { order.append(path) }
            byPath[path, default: []].append(endpoint)
        }
        return order.map { ($0, byPath[$0] ?? []) }
    }
}
