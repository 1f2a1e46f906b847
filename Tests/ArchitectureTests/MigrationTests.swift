import Testing

/// Migrations are forward only and run in the order of their numbers: `0001_token_tree.sql`, `0002_keys.sql`, …
enum MigrationRules {
    static func numbers(_ files: [TextFile]) -> [Finding] {
        let wellNamed = Pattern(#"^([0-9]{4})_[a-z][a-z0-9_]*\.sql$"#)
        var findings: [Finding] = []
        var next = 1
        for file in files.filter({ $0.path.hasSuffix(".sql") }).sorted(by: { $0.path < $1.path }) {
            guard file.folders == ["migrations"],
                let number = wellNamed.hits(in: file.name).first.flatMap({ Int($0.captured) })
            else {
                findings.append(
                    Finding(
                        file, "is no name for a migration. Call it migrations/NNNN_what_it_makes.sql, in small letters."
                    ))
                continue
            }
            if number < next {
                findings.append(
                    Finding(
                        file,
                        """
                        has the number of another migration. Take the next free one; what has run somewhere is never \
                        renumbered.
                        """
                    ))
            } else if number > next {
                findings.append(
                    Finding(
                        file,
                        """
                        follows number \(next - 1). Call it \(String(next).leftPadded(to: 4))_… so that there is no \
                        gap.
                        """
                    ))
            }
            next = max(next, number + 1)
        }
        return findings
    }
}

/// docs/upgrading.md says of each migration whether it can be applied under load.
enum UpgradeNotes {
    private static let path = "docs/upgrading.md"

    /// Rows are `| 0001–0016, 0018 | yes | … |`.
    static func findings(_ migrations: [TextFile], in notes: TextFile?) -> [Finding] {
        guard let notes else { return [Finding(path: path, "is missing: it says how each migration is applied.")] }
        var told: [Int: Int] = [:], findings: [Finding] = []
        for (index, text) in notes.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let cells = text.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard let first = cells.first, first.prefix(4).count(where: \.isNumber) == 4 else { continue }
            if cells.count != 3 || cells.contains("") {
                findings.append(
                    Finding(notes, line: index + 1, "needs all three: which, whether under load, and what it locks."))
            }
            for number in numbers(first) {
                if let line = told.updateValue(index + 1, forKey: number) {
                    findings.append(Finding(notes, line: index + 1, "tells of \(number) again: line \(line) does."))
                }
            }
        }
        let files = migrations.filter { $0.path.hasSuffix(".sql") }
        for file in files {
            guard let number = Int(file.name.prefix(4)), told[number] == nil else { continue }
            findings.append(
                Finding(
                    file, "has no row in \(path): say there whether it can be applied under load, and what it locks."))
        }
        for (number, line) in told.sorted(by: { $0.key < $1.key })
        where !files.contains(where: { Int($0.name.prefix(4)) == number }) {
            findings.append(Finding(notes, line: line, "tells of migration \(number), which is not there."))
        }
        return findings
    }

    private static func numbers(_ cell: String) -> [Int] {
        cell.split(separator: ",").flatMap { part in
            let ends = part.split(separator: "–").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [Int]() }
            return Array(first...last)
        }
    }
}

private extension String {
    func leftPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}

@Suite("Migrations")
struct MigrationTests {
    @Test("migrations are numbered without gaps")
    func numbers() {
        expectNone(MigrationRules.numbers(Checkout.here.migrations))
    }

    @Test(
        "gaps, doubles and other names are found",
        arguments: [
            (["0001_a.sql", "0002_b.sql", "README.md"], []),
            (["0001_a.sql", "0003_c.sql", "0004_d.sql"], ["migrations/0003_c.sql"]),
            (["0001_a.sql", "0001_b.sql", "0002_c.sql"], ["migrations/0001_b.sql"]),
            (["0002_a.sql"], ["migrations/0002_a.sql"]),
            (["0001_a.sql", "2_b.sql", "0002_B.sql"], ["migrations/0002_B.sql", "migrations/2_b.sql"]),
        ])
    func bites(names: [String], expected: [String]) {
        let files = names.map { TextFile(path: "migrations/\($0)", text: "") }

        #expect(MigrationRules.numbers(files).map(\.path) == expected)
    }

    @Test("each has a row in the notes for who upgrades")
    func told() {
        expectNone(
            UpgradeNotes.findings(
                Checkout.here.migrations, in: Checkout.here.files.first { $0.path == "docs/upgrading.md" }))
    }

    @Test(
        "one that is not told of, one told of twice, one that is gone and an empty cell are found",
        arguments: [
            ("| 0001–0002, 0003 | yes | – |", []),
            ("| 0001 | yes | – |\n| 0003 | – | – |", ["migrations/0002_b.sql:1"]),
            ("| 0001–0003 | yes | – |\n| 0002 | yes | – |", ["docs/upgrading.md:2"]),
            ("| 0001–0004 | yes | – |", ["docs/upgrading.md:1"]),
            ("| 0001–0002 | yes | – |\n| 0003 | | – |", ["docs/upgrading.md:2"]),
            ("| 0001–0003 | yes |", ["docs/upgrading.md:1"]),
        ])
    func untold(rows: String, expected: [String]) {
        let files = ["0001_a.sql", "0002_b.sql", "0003_c.sql"].map { TextFile(path: "migrations/\($0)", text: "") }
        let notes = TextFile(path: "docs/upgrading.md", text: rows)

        #expect(UpgradeNotes.findings(files, in: notes).map(\.place) == expected)
    }
}
