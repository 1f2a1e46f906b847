import Foundation
import TestSupport

/// What leaves each table, as docs/operate.md says it under "What leaves each table".
struct RetentionTable {
    static let begin = "<!-- The list: held by RetentionTableTests. -->", end = "<!-- The end of the list. -->"

    /// Who takes rows away.
    enum Means: Equatable {
        /// A file of the sources, by its base name, which deletes from the table.
        case file(String)
        /// The row of another table, whose end takes these along.
        case with(String)
        case partitions
        /// Nobody.
        case stays
        /// Words that say none of these.
        case unknown(String)

        init(_ words: Substring) {
            let words = words.trimmingCharacters(in: .whitespaces), name = words.split(separator: "`")
            switch words {
            case "partitions": self = .partitions
            case "stays": self = .stays
            case _ where words.hasPrefix("with `") && name.count == 2: self = .with(String(name[1]))
            case _ where words.hasPrefix("`") && name.count == 1: self = .file(String(name[0]))
            default: self = .unknown(words)
            }
        }
    }

    struct Rule {
        let table: String
        let when: String
        let by: [Means]
    }

    let rules: [Rule]

    init(_ page: String) {
        let list = page.components(separatedBy: Self.begin).last?.components(separatedBy: Self.end).first ?? ""
        rules = list.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return Rule(
                table: cells[1].replacing("`", with: ""), when: cells.count > 2 ? cells[2] : "",
                by: (cells.count > 3 ? cells[3] : "").split(separator: ",").map { Means($0) })
        }
    }

    init(rules: [Rule]) { self.rules = rules }

    static func read() throws -> RetentionTable {
        RetentionTable(try String(contentsOf: Checkout.folder("docs").appending(path: "operate.md"), encoding: .utf8))
    }
}

/// The statements of the sources that delete, by the base name of their file.
struct DeletingSources {
    /// Texts of all files of that name: a base name is unique within its target only.
    private let texts: [String: [String]]

    init() throws {
        var texts: [String: [String]] = [:]
        for folder in ["Sources", "crawler"] {
            let found = FileManager.default.enumerator(
                at: Checkout.folder(folder), includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            for case let file as URL in found ?? .init() where file.pathExtension == "swift" {
                texts[file.deletingPathExtension().lastPathComponent, default: []].append(
                    try String(contentsOf: file, encoding: .utf8))
            }
        }
        self.texts = texts
    }

    /// By a statement, or as what is sent and then gone (`DeliveryTable`).
    func deletes(_ file: String, from table: String) -> Bool {
        let needles = ["delete from \(table)", "DeliveryTable( \"\(table)\""]
        return (texts[file] ?? []).contains { text in
            let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return needles.contains { needle in
                text.ranges(of: needle).contains { found in
                    found.upperBound == text.endIndex
                        || !(text[found.upperBound].isLetter || text[found.upperBound] == "_")
                }
            }
        }
    }
}
