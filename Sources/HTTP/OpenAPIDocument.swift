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
            "  description: Federation control-plane", "servers:",
            "  - url: \(JSONValue.string(issuer).text)", "paths:",
        ]
        for (path, group) in grouped {
            lines.append("  \(path):")
            for endpoint in group { lines += operation(endpoint, path) }
        }
        return (lines + components).joined(separator: "\n") + "\n"
    }

    private func operation(_ endpoint: Endpoint, _ path: String) -> [String] {
        var lines = [
            "    \(endpoint.method.rawValue.lowercased()):",
            "      summary: \(JSONValue.string(endpoint.summary).text)",
        ]
        let told = endpoint.shape
        if let about = told?.about, !about.isEmpty {
            lines.append("      description: \(JSONValue.string(about).text)")
        }
        let parameters = OpenAPIDocument.parameters(of: path, told)
        if !parameters.isEmpty { lines.append("      parameters:") }
        lines += parameters.map { "        - \($0.text)" }
        guard let shape = told else {
            return lines + [
                "      responses:",
                "        default: {\"description\":\"The answer, or an error as RFC 6749, 5.2 has it\"}",
            ]
        }
        lines.append("      security: \(OpenAPIDocument.security(shape).text)")
        if let body = shape.body {
            var asked: JSONObject = shape.isBodyNeeded ? ["required": true] : [:]
            asked["content"] = OpenAPIDocument.content(body, shape.bodyType)
            lines.append("      requestBody: \(JSONValue.object(asked).text)")
        }
        lines.append("      responses:")
        if let status = shape.status {
            let answer = OpenAPIDocument.answer("Done", shape.answer, shape.answerType, headers: shape.answerHeaders)
            lines.append("        \"\(status)\": \(answer.text)")
        }
        return lines
            + shape.others.map { other in
                let headers: [String: String] =
                    other.saysWhenToRetry ? ["Retry-After": "Seconds after which it is worth another try"] : [:]
                return
                    """
                            \"\(other.status)\": \
                    \(OpenAPIDocument.answer(other.about, other.schema, other.type, headers: headers).text)
                    """
            }
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

    private static func answer(
        _ about: String, _ schema: String?, _ type: String, headers: [String: String]
    ) -> JSONValue {
        var json: JSONObject = ["description": .string(about)]
        if !headers.isEmpty {
            let told = headers.sorted { $0.key < $1.key }.map { name, meaning -> (String, JSONValue) in
                (name, ["description": .string(meaning), "schema": ["type": "string"]])
            }
            json["headers"] = .object(JSONObject(told))
        }
        if let schema { json["content"] = content(schema, type) }
        return .object(json)
    }

    private static func content(_ schema: String, _ type: String) -> JSONValue {
        .object([type: ["schema": OpenAPISchema.reference(schema)]])
    }

    // MARK: Components

    private var components: [String] {
        let shapes = endpoints.compactMap(\.shape), shown = shapes.flatMap { $0.security.flatMap { $0 } }
        guard !shapes.isEmpty else { return [] }
        let isSecure = issuer.hasPrefix("https:"), schemes = Set(shown).sorted { $0.name < $1.name }
        var lines = ["components:"]
        if !schemes.isEmpty { lines.append("  securitySchemes:") }
        for scheme in schemes { lines.append("    \(scheme.name): \(scheme.json(isSecure: isSecure).text)") }
        lines.append("  schemas:")
        for schema in named(by: shapes) { lines.append("    \(schema.name): \(schema.json.text)") }
        return lines
    }

    private func named(by shapes: [EndpointShape]) -> [OpenAPISchema] {
        let known = Dictionary(schemas.map { ($0.name, $0) }) { first, _ in first }
        var found: Set<String> = [], rest = shapes.flatMap(\.schemas)
        while let name = rest.popLast() {
            if found.insert(name).inserted { rest += known[name]?.references ?? [] }
        }
        return schemas.filter { found.contains($0.name) }
    }

    /// In the table's order, methods of one path together.
    private var grouped: [(String, [Endpoint])] {
        var order: [String] = []
        var byPath: [String: [Endpoint]] = [:]
        for endpoint in endpoints {
            let path = endpoint.path.replacing("**", with: "{rest}")
            if byPath[path] == nil { order.append(path) }
            byPath[path, default: []].append(endpoint)
        }
        return order.map { ($0, byPath[$0] ?? []) }
    }
}
