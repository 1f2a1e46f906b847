import Hummingbird

/// `/openapi.yaml`, made of the route table, so the two cannot differ. OpenAPI 3.1.
struct OpenAPIDocument {
    let issuer: String
    let endpoints: [Endpoint]

    var text: String {
        var lines = ["openapi: 3.1.0", "info:", "  title: Pando", "  version: \"0.1\"", "  description: Federation control-plane", "servers:", "  - url: \(quoted(issuer))", "paths:"]
        for (path, group) in grouped {
            lines.append("  \(path):")
            for endpoint in group {
                lines.append("    \(endpoint.method.rawValue.lowercased()):")
                lines.append("      summary: \(quoted(endpoint.summary))")
                let names = OpenAPIDocument.parameters(of: path)
                if !names.isEmpty { lines.append("      parameters:") }
                for name in names { lines.append("        - {name: \(name), in: path, required: true, schema: {type: string}}") }
                lines.append("      responses:")
                lines.append("        default: {description: \"The answer, or an error as RFC 6749, 5.2 has it\"}")
            }
        }
        return lines.joined(separator: "\n") + "\n"
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

    private static func parameters(of path: String) -> [Substring] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().prefix { $0 != "}" } }
    }

    private func quoted(_ text: String) -> String { "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
}
