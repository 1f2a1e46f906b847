import Foundation
import Testing

/// What the code cites stands in the checkout: the document, and the section or heading that is named behind it.
///
/// A citation is a path or a bare name, looked for in `places`. A number (`, 4.5`) or a heading in quotation marks may
/// follow, or a list of them. Those of other projects are left alone: a host, a revision or `owner/repository/…` tells.
enum CitationRules {
    static let places = ["", "docs/", "docs/design/", "docs/design/protocols/"]

    static func unfounded(_ files: [TextFile]) -> [Finding] {
        let gap = #"(?:\s|//+|--)+"#
        let number = #"\d+(?:\.\d+)*(?!\w)"#
        let title = #"\\?"(?=\S)[^"\\]{1,80}\\?""#
        let sections = [number, title].map { #"\#($0)(?:(?:,| and| to)\#(gap)\#($0))*"# }.joined(separator: "|")
        let citation = Pattern(#"(?<![\w.:@~/-])([\w.:@~/-]*\w\.md\b(?:`?(?:,\#(gap)| )(?:\#(sections)))?)"#)
        let documents = files.filter { $0.path.hasSuffix(".md") }.map { ($0.path, headings(of: $0)) }
        let known = Dictionary(documents) { first, _ in first }
        let folders = Set(files.compactMap(\.folders.first) + ["design", "protocols"])
        return files.filter(cites).flatMap { file in
            citation.hits(in: file.text).flatMap { hit -> [Finding] in
                let cited = Citation(hit.captured)
                guard !cited.isOfOthers(ours: folders) else { return [] }
                let bare = cited.path.hasPrefix("design/") ? String(cited.path.dropFirst(7)) : cited.path
                let found = places.flatMap { [$0 + cited.path, $0 + bare] }.filter { known[$0] != nil }
                guard !found.isEmpty else {
                    return [
                        Finding(
                            file, line: hit.line,
                            "\(cited.path) is no document of this checkout. "
                                + "Cite what stands in docs/, an RFC, or the URL of somebody else's.")
                    ]
                }
                let headings = found.flatMap { known[$0] ?? [] }
                let missing = cited.sections.filter { section in !headings.contains { begins($0, with: section) } }
                return missing.map { Finding(file, line: hit.line, "\(found[0]) has no heading that begins so: \($0)") }
            }
        }
    }

    private static func cites(_ file: TextFile) -> Bool {
        file.isSwift && (file.isSource || file.path.hasPrefix("Tests/"))
            || file.path.hasPrefix("migrations/") && file.path.hasSuffix(".sql")
    }

    private static func headings(of file: TextFile) -> [String] {
        file.text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
            String(line.drop { "# ".contains($0) }).replacingOccurrences(of: "`", with: "")
        }
    }

    /// Whole words and numbers: `4` does not begin `4.5` or `40`.
    private static func begins(_ heading: String, with start: String) -> Bool {
        guard heading.lowercased().hasPrefix(start.lowercased()) else { return false }
        let rest = heading.dropFirst(start.count)
        guard let next = rest.first else { return true }
        return !next.isLetter && !next.isNumber && !(next == "." && rest.dropFirst().first?.isNumber == true)
    }
}

/// One citation as it was written, over the ends of lines too.
private struct Citation {
    let path: String
    let sections: [String]

    init(_ text: String) {
        let end = text.range(of: ".md")?.upperBound ?? text.endIndex
        path = text[..<end].split(separator: "/").filter { $0 != ".." && $0 != "." }.joined(separator: "/")
        let behind = String(text[end...])
            .replacingOccurrences(of: #"\s*\n\s*(?://+|--)\s*"#, with: " ", options: .regularExpression)
        let titles = Pattern(#""([^"\\]+)\\?""#).hits(in: behind)
        let numbers = Pattern(#"\d+(?:\.\d+)*"#).hits(in: behind)
        sections = (titles.isEmpty ? numbers : titles).map(\.captured)
    }

    /// Every project has the first two of these names, in more than one folder.
    func isOfOthers(ours folders: Set<String>) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first, let name = parts.last else { return true }
        if ["README.md", "CHANGELOG.md"].contains(name) { return true }
        return path.contains(":") || path.contains("@")
            || parts.count > 1 && first.contains(".") || parts.count > 2 && !folders.contains(first)
    }
}

/// Apart from the names, so that this file cites nothing.
private let md = ".md"

@Suite("Citations")
struct CitationTests {
    @Test("documents and sections that the code cites are there")
    func citations() {
        expectNone(CitationRules.unfounded(Checkout.here.files))
    }

    static let documents = [
        TextFile(path: "NOTES\(md)", text: ""),
        TextFile(path: "docs/operate\(md)", text: "# Operating\n\n## What services publish\n"),
        TextFile(path: "docs/design/tree\(md)", text: "# The tree\n## Grants at `ISS/token`\n### Health, by service\n"),
        TextFile(path: "docs/design/protocols/wire\(md)", text: "## 1. Begin\n## 4 Keys\n### 4.5 ECIES\n## 12 End\n"),
        TextFile(path: "passwords/LICENSE\(md)", text: ""),
    ]

    @Test(
        "documents are found where they stand, and those that do not are named",
        arguments: [
            ("wire\(md)", true), ("protocols/wire\(md)", true), ("design/protocols/wire\(md)", true),
            ("tree\(md)", true), ("design/tree\(md)", true), ("docs/design/tree\(md)", true),
            ("docs/operate\(md)", true), ("NOTES\(md)", true), ("passwords/LICENSE\(md)", true),
            ("../../docs/operate\(md)", true), ("tests/README\(md)", true), ("hash\(md)5", true),
            ("https://example.org/design/gone\(md)", true), ("example.org/gone\(md)", true),
            ("owner/repository/gone\(md)", true), ("owner/repository@1.0/gone\(md)", true),
            ("gone\(md)", false), ("docs/wire\(md)", false), ("protocols/tree\(md)", false),
        ])
    func documentBites(citation: String, fine: Bool) {
        let texts = [
            ("Sources/Base/A.swift", "\n/// Wire facts: \(citation).\n"),
            ("crawler/A.swift", "\nlet a = \"\(citation)\"\n"),
            ("Tests/BaseTests/A.swift", "\n@Suite(\"\(citation): all\")\n"),
            ("migrations/0001_a.sql", "\n-- (\(citation))\n"),
        ]

        for (path, text) in texts {
            let findings = CitationRules.unfounded(Self.documents + [TextFile(path: path, text: text)])

            #expect(findings.map(\.place) == (fine ? [] : ["\(path):2"]))
        }
    }

    @Test(
        "sections and headings are looked for, each of a list",
        arguments: [
            ("wire\(md), 4.5)", 0), ("wire\(md), 1)", 0), ("wire\(md) 4: keys", 0), ("wire\(md), 4 and 4.5)", 0),
            ("wire\(md), 4.6)", 1), ("wire\(md), 2)", 1), ("wire\(md), 4.5, 4.6, 5 and 1)", 2),
            ("wire\(md), 1 to 3)", 1),
            ("wire\(md),\n/// 4.6)", 1), ("`wire\(md)`, 12.", 0), ("wire\(md), 2nd", 0),
            ("wire\(md) and 9 others", 0), ("wire\(md)\n/// 9 others", 0), ("tree\(md), rule 3)", 0),
            ("operate\(md), \"What services publish\")", 0), ("operate\(md), \\\"what services\n/// publish\\\")", 0),
            ("tree\(md), \"Grants at ISS/token\" and \"Health\")", 0), ("tree\(md), \"Heal\")", 1),
            ("tree\(md), \"Grants\", \"Gone\" and \"Lost\")", 2), ("operate\(md), \" + \"x", 0),
            ("tree\(md)\", \"x\"", 0),
        ])
    func sectionBites(text: String, expected: Int) {
        let file = TextFile(path: "Sources/Base/A.swift", text: "/// (\(text)\n")

        let findings = CitationRules.unfounded(Self.documents + [file])

        #expect(findings.count == expected)
        #expect(findings.allSatisfy { $0.place == "Sources/Base/A.swift:1" })
    }
}
