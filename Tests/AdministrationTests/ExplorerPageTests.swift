import Administration
import Base
import Foundation
import PageTestSupport
import Pages
import Testing

@testable import Console

@Suite("Pages of the tree, verdicts, the audit trail and figures")
struct ExplorerPageTests {
    private static func node(
        _ node: String, _ text: String, status: String = "live", _ below: [JSONValue] = []
    )
        -> JSONValue
    {
        [
            "node": .string(node), "kind": .string(String(node.prefix { $0 != ":" })), "status": .string(status),
            "issued_at": "2026-11-21T08:00:00Z", "expires_at": "2026-11-22T08:00:00Z", "client_id": .string(text),
            "account": .string(text), "service": .string(text), "children": .array(below), "more": 3,
            "is_least": true, "next": .string(text),
        ]
    }

    private static func tree(_ text: String) -> JSONValue {
        node(
            "version:\(text)", text,
            [
                node("instance:\(text)", text, [node("token:\(text)1", text, status: "revoked")]),
                node("instance:b\(text)", text, status: "used"), node("instance:c", text, status: "expired"),
            ])
    }

    private static func series(_ metric: StatisticMetric, _ label: String, _ values: [Double?]) -> StatisticSeries {
        StatisticSeries(
            .init(metric: metric, label: label), since: Date(timeIntervalSince1970: 1_800_000_000), step: .hour,
            values: values)
    }

    /// Each page, with `text` wherever somebody else's words can stand.
    static func samples(_ language: Language, _ text: String) -> [PageSample] {
        let tree = TreePage(
            language, asked: text, tree: tree(text), after: text, mayCut: true, mayRead: true)
        let found: JSONValue = ["node": .string("account:\(text)"), "kind": "account", "name": .string(text)]
        let several = TreePage(language, asked: text, found: [found, found])
        let why = WhyPage(
            language, formToken: PageSample.text,
            verdict: [
                "live": false, "rule": "revoked", "node": "token:1", "reference": .string("r \(text)"),
                "cause": [
                    "node": .string("version:\(text)"), "at": "2026-11-21T08:00:00Z", "by": .string("a \(text)"),
                    "reason": .string("w \(text)"),
                ],
            ])
        let line: JSONValue = [
            "at": "2026-11-21T08:00:00Z", "actor": .string(text), "from": .string(text), "action": .string(text),
            "node": .string(text), "account": .null, "reason": .string(text), "outcome": "refused", "count": 3,
        ]
        let audit = AuditPage(
            language, asked: [("node", text), ("since", text)], items: [line], linked: [text], next: "7",
            after: "9", problem: text)
        let overview = OverviewPage(
            language, .week,
            [
                series(.refusals, text, [1, nil, 3]), series(.liveTokens, "pat", [4, 5, nil]),
                series(.liveTokens, text, [1, 2, 3]), series(.eventLag, "", [0, 0, 0]),
            ], counts: [("accounts", 12_345, "/admin/accounts"), ("services", 0, nil)],
            setback: .init(text: language.statistics.setback, href: "/admin/epoch/show"))
        func page(_ name: String, _ title: String, _ model: some Sendable) -> PageSample {
            PageSample(name, language, Layout.explorer.render(name, title: title, language: language, model))
        }
        return [
            page("tree", tree.title, tree), page("tree", several.title, several), page("why", why.title, why),
            page("audit", audit.title, audit), page("overview", overview.title, overview),
        ]
    }

    @Test("what holds of every page holds of these, in each language", arguments: Language.allCases)
    func rules(language: Language) {
        for page in Self.samples(language, PageSample.text) {
            PageRules.whole(page)
            PageRules.policy(page)
            PageRules.token(page)
            PageRules.outline(page)
        }
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes, in pictures too",
        arguments: PageSample.hostile, Language.allCases)
    func hostile(text: String, language: Language) {
        PageWording.escaping(text) { Self.samples(language, $0) }
    }

    @Test("words of ours are spelt right, and marks that turn a line are not shown", arguments: Language.allCases)
    func wording(language: Language) {
        PageWording.spelling(Self.samples(language, PageSample.text))
        PageWording.direction { Self.samples(language, $0) }
    }

    @Test("a status has a shape and a word, and not a colour alone; what is not drawn is counted")
    func statuses() throws {
        let html = try #require(Self.samples(.en, PageSample.text).first).html

        #expect(html.contains("class=\"node revoked\"") && html.contains("M-6-6L6 6") && html.contains("· ended"))
        #expect(html.contains("class=\"hollow\"") && html.contains("· expired") && html.contains("· used"))
        #expect(html.contains("at least 3 more"))
        #expect(html.contains("/admin/tokens/revoke?node=version"))
    }

    @Test("however large the tree, so many nodes are drawn, those nearest to the root")
    func bounded() throws {
        let leaves = (0..<100).map { Self.node("token:\($0)", "x") }
        let tree = Self.node("version:v", "x", (0..<100).map { Self.node("instance:\($0)", "x", leaves) })

        let root = try #require(TreeNode(tree, Language.en.explorer)), picture = TreePicture(root)

        #expect(picture.boxes.count == TreeNode.most)
        #expect(picture.boxes.filter { $0.kind.hasPrefix("Installed app") }.count == 100)
        #expect(root.children.last?.more == "at least 103 more")
    }

    @Test("boxes of one column do not overlap, and a parent stands beside its first child")
    func layout() throws {
        let root = try #require(TreeNode(Self.tree("a"), Language.en.explorer)), picture = TreePicture(root)

        for (_, column) in Dictionary(grouping: picture.boxes, by: \.x) {
            let tops = column.map(\.y).sorted()
            #expect(zip(tops, tops.dropFirst()).allSatisfy { $1 - $0 >= TreePicture.height })
        }
        #expect(picture.boxes[0].y == picture.boxes[1].y && picture.boxes[0].x < picture.boxes[1].x)
        #expect(picture.boxes.allSatisfy { $0.y >= 0 && $0.y + TreePicture.height <= picture.totalHeight })
    }

    @Test(
        "an axis ends at a round number",
        arguments: [(0.0, 1.0), (1, 1), (3, 3), (7, 8), (42, 60), (99, 100), (12_345, 15_000)])
    func scales(most: Double, high: Double) {
        #expect(Plot.scale(most).high == high)
    }

    @Test("beyond five figures the smallest are one, and a gap breaks the curve")
    func folded() throws {
        let many = (0..<9).map { Self.series(.liveTokens, "kind \($0)", [Double($0) + 1, nil, 1]) }

        let plot = try #require(Plot(.liveTokens, many, .en))

        #expect(plot.curves.count == 5 && plot.keys.last?.label == "others")
        #expect(plot.curves.allSatisfy { $0.d.split(separator: "M").count == 2 })
        #expect(Plot(.logins, [Self.series(.logins, "x", [nil, nil])], .en) == nil)
    }
}
