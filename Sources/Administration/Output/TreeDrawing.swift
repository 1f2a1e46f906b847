import Base

/// A tree of nodes as people draw it.
struct TreeDrawing {
    let root: JSONObject

    var text: String { (["\(TreeDrawing.line(root))"] + TreeDrawing.branches(of: root, "")).joined(separator: "\n") }

    private static func branches(of node: JSONObject, _ indent: String) -> [String] {
        let children = (node["children"]?.array ?? []).compactMap(\.object), more = rest(of: node)
        return children.enumerated().flatMap { index, child in
            let isLast = index == children.count - 1 && more == nil
            return [indent + (isLast ? "└─ " : "├─ ") + line(child)]
                + branches(of: child, indent + (isLast ? "   " : "│  "))
        } + [more].compactMap { $0.map { indent + "└─ " + $0 } }
    }

    /// Of children that are not told.
    private static func rest(of node: JSONObject) -> String? {
        let isLeast = node["is_least"]?.bool ?? false, next = node["next"]?.string
        guard let more = node["more"]?.integer else { return isLeast ? "… too many to look through" : nil }
        guard more > 0 else { return nil }
        return "… \(more) more" + (isLeast ? " or so" : "") + (next.map { PlainText.harmless(": --after \($0)") } ?? "")
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
