import Base

/// A tree of nodes as people draw it.
struct TreeDrawing {
    let root: JSONObject

    var text: String { (["\(TreeDrawing.line(root))"] + TreeDrawing.branches(of: root, "")).joined(separator: "\n") }

    private static func branches(of node: JSONObject, _ indent: String) -> [String] {
        let children = (node["children"]?.array ?? []).compactMap(\.object)
        return children.enumerated().flatMap { index, child in
            let isLast = index == children.count - 1
            return [indent + (isLast ? "└─ " : "├─ ") + line(child)]
                + branches(of: child, indent + (isLast ? "   " : "│  "))
        }
    }

    /// Status first where it is bad news, then what it is, its name, for whom and until when.
    private static func line(_ node: JSONObject) -> String {
        func text(_ name: String) -> String? { node[name]?.string }
        let status = text("status") ?? ""
        var words = [status == "live" ? "●" : "✗", (text("kind") ?? "").replacing("_", with: " "), text("node") ?? ""]
        if status != "live" { words.append(status) }
        if let service = text("service") { words.append("for \(service)") }
        if let expires = text("expires_at") { words.append("until \(expires)") }
        return PlainText.harmless(words.joined(separator: " "))
    }
}
