import Hummingbird

/// `/openapi.yaml`, made of the route table, so the two cannot differ. OpenAPI 3.1.
struct OpenAPIDocument {
    let issuer: String
    let endpoints: [Endpoint]
    let schemas: [OpenAPISchema]

    var text: String {
        var lines = ["openapi: 3.1.0", "info:", "  title: Pando", "  version: \"0.1\"", "  description: Federation control-plane", "servers:", "  - url: \(quoted(issuer))", "paths:"]
        for (path, group) in grouped {
            lines.append("  \(path):")
            for endpoint in group { lines += operation(endpoint, path) }
        }
        if !schemas.isEmpty {
            lines += ["components:", "  securitySchemes:", "    bearer: {type: http, scheme: bearer}", "  schemas:"] + schemas.map { "    \($0.name): \($0.text)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func operation(_ endpoint: Endpoint, _ path: String) -> [String] {
        var lines = ["    \(endpoint.method.rawValue.lowercased()):", "      summary: \(quoted(endpoint.summary))"]
        var parameters = OpenAPIDocument.parameters(of: path).map { "{name: \($0), in: path, required: true, schema: {type: string}}" }
        for name in endpoint.shape?.query ?? [] { parameters.append("{name: \(name), in: query, schema: {type: string}}") }
        for name in endpoint.shape?.headers ?? [] { parameters.append("{name: \(name), in: header, schema: {type: string}}") }
        if !parameters.isEmpty { lines.append("      parameters:") }
        lines += parameters.map { "        - \($0)" }
        guard let shape = endpoint.shape else {
            return lines + ["      responses:", "        default: {description: \"The answer, or an error as RFC 6749, 5.2 has it\"}"]
        }
        lines.append("      security: [{bearer: []}]")
        if let body = shape.body { lines.append("      requestBody: {content: \(OpenAPIDocument.content(body))}") }
        let content = shape.answer.map { ", content: \(OpenAPIDocument.content($0))" } ?? ""
        lines += ["      responses:", "        \"\(shape.status)\": {description: \"Done\"\(content)}",
                  "        default: {description: \"An error; 401 and 403 as RFC 6749, 5.2 has it\", content: \(OpenAPIDocument.content(OpenAPISchema.error))}"]
        return lines
    }

    private static func content(_ schema: String) -> String { "{application/json: {schema: {$ref: \"#/components/schemas/\(schema)\"}}}" }

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

    private static func parameters(of path: String) -> [Substring] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().prefix { $0 != "}" } }
    }

    private func quoted(_ text: String) -> String { "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
}

/// An object of JSON by name and members, for `components/schemas`.
struct OpenAPISchema: Sendable {
    let name: String
    private let members: [String]

    /// `members` are written apart by blanks: `name`, a string; `name:integer` or another type of JSON; `name:[string]`; `name:Other` and `name:[Other]`, a
    /// schema. One that must be there ends in `!`.
    init(_ name: String, _ members: String) { (self.name, self.members) = (name, members.split(separator: " ").map(String.init)) }

    var text: String {
        var required: [String] = [], properties: [String] = []
        for member in members {
            let parts = member.filter { $0 != "!" }.split(separator: ":", maxSplits: 1).map(String.init)
            guard let name = parts.first else { continue }
            if member.hasSuffix("!") { required.append(name) }
            properties.append("\(name): \(OpenAPISchema.type(parts.count > 1 ? parts[1] : "string"))")
        }
        let needed = required.isEmpty ? "" : ", required: [\(required.joined(separator: ", "))]"
        return "{type: object\(needed), properties: {\(properties.joined(separator: ", "))}}"
    }

    private static func type(_ word: String) -> String {
        if word.hasPrefix("[") { return "{type: array, items: \(type(String(word.dropFirst().dropLast())))}" }
        return word.first?.isUppercase == true ? "{$ref: \"#/components/schemas/\(word)\"}" : "{type: \(word)}"
    }
}
