import Testing

/// Words that may not stand in the code, or only in one room.
enum WordRules {
    static func traps(_ files: [TextFile]) -> [Finding] {
        let words: [(Pattern, String)] = [
            (
                Pattern(#"\btry!"#),
                "`try!` ends the process for everyone. Throw, or prove that it cannot fail with a total function."
            ),
            (
                Pattern(#"\bas!"#),
                "`as!` ends the process for everyone. Use `as?` and throw, or a type that cannot be wrong."
            ),
            (Pattern(#"\bfatalError\s*\("#), "`fatalError` ends the process for everyone. Throw an error."),
            (
                Pattern(#"\.unsafelyUnwrapped\b"#),
                "an unchecked unwrap is undefined behaviour when it is wrong. Use `guard let`."
            ),
        ]
        return files.flatMap { file in
            words.flatMap { pattern, advice in pattern.hits(in: file.code).map { Finding(file, line: $0.line, advice) }
            }
        }
    }

    static func leftForLater(_ files: [TextFile]) -> [Finding] {
        let note = Pattern(#"\b(?:TO"# + #"DO|FIX"# + #"ME)\b"#)
        return files.flatMap { file in
            note.hits(in: file.text).map {
                Finding(
                    file, line: $0.line,
                    "\($0.captured): do it now, or write an issue and leave the code as it is meant.")
            }
        }
    }

    /// In `Database`, and around the two C libraries that are not thread-safe by type.
    static func unchecked(_ files: [TextFile]) -> [Finding] {
        let word = Pattern(#"@unchecked\s+Sendable\b|\bnonisolated\s*\(\s*unsafe\s*\)"#)
        return files.flatMap { file -> [Finding] in
            let modules = file.imports.map(\.module)
            let allowed =
                file.target == "Database"
                || file.target == "Crawler" && modules.contains("CLibXML2")
                || file.target == "Accounts" && modules.contains("CArgon2")
            guard !allowed else { return [] }
            return word.hits(in: file.code).map {
                Finding(
                    file, line: $0.line,
                    "`\($0.captured)` is only for Database and the files around libxml2 and Argon2. "
                        + "Use a value, an actor or a Mutex.")
            }
        }
    }

    static func environment(_ files: [TextFile]) -> [Finding] {
        let word = Pattern(#"\bprocessInfo\s*\.\s*environment\b|\b(?:secure_)?getenv\s*\("#)
        return files.filter { !["Server", "Commands", "pando", "pando-bench"].contains($0.target) }.flatMap { file in
            word.hits(in: file.code).map {
                Finding(
                    file, line: $0.line,
                    "only Server, Commands and the binaries read the environment. Take it as a parameter."
                )
            }
        }
    }

    /// In all that a server is made of.
    static func identifiers(_ files: [TextFile]) -> [Finding] {
        let others: Set = ["ServiceCheck", "Simulators", "pando", "pando-bench"], word = Pattern(#"\bUUID\s*\(\s*\)"#)
        return files.filter { !others.contains($0.target ?? "") }.flatMap { file in
            word.hits(in: file.code).map {
                Finding(
                    file, line: $0.line,
                    "`UUID()` gives the same again where no descriptor is left. Use `Randomness.uuid()`.")
            }
        }
    }

    /// `found.*` is fine where `found` is a subquery, whose columns are named.
    static func stars(_ files: [TextFile]) -> [Finding] {
        let star = Pattern(#"(?i)\b(?:select|returning)\s+(?:distinct\s+|all\s+)?((?:[a-z_]\w*\.)?\*)"#)
        return files.flatMap { file in
            star.hits(in: file.code).filter { hit in
                let alias = hit.captured.dropLast(2)
                return alias.isEmpty
                    || Pattern(#"(?i)\)\s*(?:as\s+)?\#(alias)\b|\b\#(alias)\s+as\s*\("#).hits(in: file.code).isEmpty
            }.map {
                Finding(
                    file, line: $0.line,
                    "`\($0.captured)`: name the columns, or a later migration changes what this reads.")
            }
        }
    }
}

@Suite("Words")
struct WordTests {
    @Test("nothing in the sources can end the process on purpose")
    func traps() {
        expectNone(WordRules.traps(Checkout.here.sources))
    }

    @Test("nothing is left for later")
    func leftForLater() {
        expectNone(WordRules.leftForLater(Checkout.here.files.filter(\.isSource)))
    }

    @Test("unchecked sendability is only in Database and around libxml2 and Argon2")
    func unchecked() {
        expectNone(WordRules.unchecked(Checkout.here.sources))
    }

    @Test("only the binary reads the environment")
    func environment() {
        expectNone(WordRules.environment(Checkout.here.sources))
    }

    @Test("identifiers do not depend on a file")
    func identifiers() {
        expectNone(WordRules.identifiers(Checkout.here.sources))

        let bad = TextFile(path: "Sources/Accounts/A.swift", text: "\nlet id = UUID()\n")
        #expect(WordRules.identifiers([bad]).map(\.line) == [2])
    }

    @Test("SQL names its columns")
    func stars() {
        expectNone(WordRules.stars(Checkout.here.sources + Checkout.here.migrations))
    }

    @Test(
        "traps are found in code, not in comments",
        arguments: [
            ("let a = try! f()", true), ("let a = b as! C", true), ("fatalError(\"no\")", true),
            ("a.unsafelyUnwrapped.b", true),
            ("let s = \"\\(try! f())\"", true), ("let u = \"http://x\"; try! f()", true),
            ("let r = #\"a\"b // c\"#; try! f()", true),
            ("// try! it", false), ("/* as! /* nested */ fatalError() */", false), ("let a = try? f()", false),
            ("let retry = has!b", false),
        ])
    func trapBites(code: String, bad: Bool) {
        let findings = WordRules.traps([TextFile(path: "Sources/Base/A.swift", text: "\n\(code)\n")])

        #expect(findings.map(\.line) == (bad ? [2] : []))
    }

    @Test("notes for later are found in comments too")
    func laterBites() {
        let file = TextFile(path: "Sources/Base/A.swift", text: "let todo = 1\n// TO\("")DO: more\n")

        #expect(WordRules.leftForLater([file]).map(\.line) == [2])
    }

    @Test(
        "where unchecked sendability may stand",
        arguments: [
            ("Sources/Database/Connection.swift", "", true), ("Sources/Keys/KeyCache.swift", "", false),
            ("crawler/XMLReader.swift", "import CLibXML2", true), ("crawler/Schedule.swift", "", false),
            ("Sources/Accounts/PasswordHash.swift", "import CArgon2", true),
            ("Sources/Accounts/Session.swift", "", false),
        ])
    func uncheckedBites(path: String, header: String, fine: Bool) {
        let code = "\(header)\nfinal class A: @unchecked Sendable {}\nnonisolated(unsafe) var b = 1\n"

        #expect(WordRules.unchecked([TextFile(path: path, text: code)]).map(\.line) == (fine ? [] : [2, 3]))
    }

    @Test(
        "reading the environment is found outside the binary",
        arguments: ["ProcessInfo.processInfo.environment[\"A\"]", "getenv(\"A\")"])
    func environmentBites(code: String) {
        #expect(WordRules.environment([TextFile(path: "Sources/Keys/A.swift", text: code)]).count == 1)
        #expect(WordRules.environment([TextFile(path: "Sources/pando/A.swift", text: code)]).isEmpty)
    }

    @Test(
        "stars in SQL are found, counting is fine",
        arguments: [
            ("select * from token", true), ("SELECT\n  t.* from token t", true),
            ("update a set b = 1 returning *", true),
            ("with t as (select 1 as a) select t.* from t", false), ("select f.* from (select a from b) f", false),
            ("select count(*) from token", false), ("select a * b from c", false), ("-- select * is not for us", false),
        ])
    func starBites(sql: String, bad: Bool) {
        #expect(WordRules.stars([TextFile(path: "migrations/0001_a.sql", text: sql)]).isEmpty == !bad)
        guard !sql.hasPrefix("--") else { return }
        #expect(
            WordRules.stars([TextFile(path: "Sources/Keys/A.swift", text: "let s = \"\"\"\n\(sql)\n\"\"\"")]).isEmpty
                == !bad)
    }
}
