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
}
