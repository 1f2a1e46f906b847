import Base
import Pages

/// A node of the tree as pages show it.
struct TreeNode: Sendable {
    let node: String, kind: String, name: String, status: String, statusClass: String
    let href: String, title: String, detail: String?
    /// Children that are not shown, with a way to them.
    let more: String?
    let children: [TreeNode], isParent: Bool

    /// What a page draws at most, so that it stays readable: those nearest to the root.
    static let most = 250

    /// `budget` is what is left to be drawn.
    init?(_ json: JSONValue, _ words: SharedStrings<ExplorerStrings>) {
        let kept = TreeNode.kept(json)
        self.init(json, path: [], kept: kept, words)
    }

    private init?(
        _ json: JSONValue, path: [Int], kept: Set<[Int]>, _ words: SharedStrings<ExplorerStrings>
    ) {
        guard let node = json["node"]?.string else { return nil }
        let status = json["status"]?.string ?? "live", all = json["children"]?.array ?? []
        self.node = node
        kind = words.kind(json["kind"]?.string ?? String(node.prefix { $0 != ":" }))
        let name = ShownText.tidy(String(node.drop { $0 != ":" }.dropFirst()), limit: 200) ?? "?"
        self.name = name
        self.status = words.status(status)
        statusClass = ["live", "expired", "revoked", "used"].contains(status) ? status : "expired"
        href = TreeNode.address(node)
        var details: [String] = []
        if let service = json["service"]?.string { details.append("\(words.service) \(service)") }
        if let until = json["expires_at"]?.string { details.append("\(words.until) \(until)") }
        detail = ShownText.tidy(details.joined(separator: ", "), limit: 200)
        title = "\(kind) \(name), \(self.status)" + (detail.map { ", \($0)" } ?? "")
        children = all.indices.compactMap { index in
            let place = path + [index]
            return kept.contains(place) ? TreeNode(all[index], path: place, kept: kept, words) : nil
        }
        isParent = !children.isEmpty
        let hidden = all.count - children.count + (json["more"]?.integer ?? 0)
        let isLeast = json["is_least"]?.bool ?? false
        more = hidden > 0 ? words.more(hidden, isLeast) : json["more"] == .null && isLeast ? words.tooMany : nil
    }

    static func address(_ node: String) -> String { "/admin/tree?" + FormCodec.write([("node", node)]) }

    /// The places of those that are drawn, level by level.
    private static func kept(_ root: JSONValue) -> Set<[Int]> {
        var kept: Set<[Int]> = [], level: [([Int], JSONValue)] = [([], root)]
        while !level.isEmpty {
            var below: [([Int], JSONValue)] = []
            for (path, json) in level {
                guard kept.count < most else { return kept }
                kept.insert(path)
                for (index, child) in (json["children"]?.array ?? []).enumerated() {
                    below.append((path + [index], child))
                }
            }
            level = below
        }
        return kept
    }
}

/// The tree from left to right: a box for each node, a line to each child. Numbers are pixels.
struct TreePicture: Sendable {
    struct Box: Sendable {
        let x: Int, y: Int, textX: Int, kindY: Int, nameY: Int, markX: Int, markY: Int
        let kind: String, name: String, status: String, statusClass: String, href: String, title: String
        /// By its shape too, not by colour alone.
        let isLive: Bool, isExpired: Bool, isRevoked: Bool, isUsed: Bool
    }
    struct Line: Sendable { let d: String }
    struct More: Sendable { let x: Int, y: Int, text: String, href: String }

    static let width = 230, height = 46, gapX = 44, gapY = 10

    let totalWidth: Int, totalHeight: Int
    let boxes: [Box], lines: [Line], rests: [More]

    init(_ root: TreeNode) {
        var drawing = Drawing()
        _ = drawing.place(root, depth: 0)
        (boxes, lines, rests) = (drawing.boxes, drawing.lines, drawing.rests)
        totalWidth = (drawing.depth + 1) * Self.width + drawing.depth * Self.gapX + 4
        totalHeight = max(Self.height, drawing.bottom - Self.gapY) + 4
    }

    private struct Drawing {
        var boxes: [Box] = [], lines: [Line] = [], rests: [More] = []
        var bottom = 2, depth = 0

        /// The middle of the node's box.
        mutating func place(_ node: TreeNode, depth: Int) -> Int {
            self.depth = max(self.depth, depth)
            let x = 2 + depth * (TreePicture.width + TreePicture.gapX), place = boxes.count
            var middles = node.children.map { self.place($0, depth: depth + 1) }
            if let more = node.more {
                self.depth = max(self.depth, depth + 1)
                // As high as a box where the parent's stands beside it alone.
                let height = middles.isEmpty ? TreePicture.height : 28, middle = bottom + height / 2
                rests.append(
                    More(
                        x: x + TreePicture.width + TreePicture.gapX, y: middle + 5, text: more, href: node.href))
                middles.append(middle)
                bottom += height + TreePicture.gapY
            }
            let middle: Int
            if let first = middles.first {
                // Beside the first child, so that the root is where one begins to read.
                middle = first
            } else {
                middle = bottom + TreePicture.height / 2
                bottom += TreePicture.height + TreePicture.gapY
            }
            let right = x + TreePicture.width, half = right + TreePicture.gapX / 2, end = right + TreePicture.gapX
            lines += middles.map { Line(d: "M\(right) \(middle)C\(half) \(middle) \(half) \($0) \(end) \($0)") }
            let top = middle - TreePicture.height / 2
            boxes.insert(
                Box(
                    x: x, y: top, textX: x + 36, kindY: top + 18, nameY: top + 36, markX: x + 18, markY: middle,
                    kind: "\(node.kind) · \(node.status)", name: TreePicture.short(node.name), status: node.status,
                    statusClass: node.statusClass, href: node.href, title: node.title,
                    isLive: node.statusClass == "live", isExpired: node.statusClass == "expired",
                    isRevoked: node.statusClass == "revoked", isUsed: node.statusClass == "used"), at: place)
            return middle
        }
    }

    /// What fits into a box: the beginning and the end, by which ids are told apart.
    static func short(_ name: String) -> String {
        name.count <= 21 ? name : "\(name.prefix(11))…\(name.suffix(9))"
    }

    static let template = """
        <div class="tree" role="region" tabindex="0" aria-label="{{words.picture}}">
        <svg xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{{words.picture}}" width="{{totalWidth}}" \
        height="{{totalHeight}}" viewBox="0 0 {{totalWidth}} {{totalHeight}}">
        {{#lines}}<path class="branch" d="{{d}}"/>{{/lines}}
        {{#boxes}}<a href="{{href}}" class="node {{statusClass}}" aria-label="{{title}}"><title>{{title}}</title>
        <rect x="{{x}}" y="{{y}}" width="230" height="46" rx="9"/>
        <g class="mark-of" transform="translate({{markX}} {{markY}})">{{#isLive}}<circle r="8"/>{{/isLive}}\
        {{#isExpired}}<circle class="hollow" r="7"/>{{/isExpired}}\
        {{#isRevoked}}<path class="stroke" d="M-6-6L6 6M-6 6L6-6"/>{{/isRevoked}}\
        {{#isUsed}}<path class="stroke" d="M-7 0L-2 5L7-5"/>{{/isUsed}}</g>
        <text class="kind" x="{{textX}}" y="{{kindY}}">{{kind}}</text>
        <text class="name" x="{{textX}}" y="{{nameY}}">{{name}}</text></a>
        {{/boxes}}{{#rests}}<a href="{{href}}" class="rest"><text x="{{x}}" y="{{y}}">{{text}}</text></a>
        {{/rests}}</svg>
        </div>
        """
}
