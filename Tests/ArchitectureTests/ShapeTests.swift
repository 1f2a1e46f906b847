import Testing

/// Sizes and names of files.
enum ShapeRules {
    static let sourceLimit = 300
    static let testLimit = 400
    static let widthLimit = 120

    static func sizes(_ files: [TextFile], limit: Int) -> [Finding] {
        files.filter { $0.lineCount > limit }.map { file in
            Finding(
                file, line: limit + 1,
                "\(file.lineCount) lines, of at most \(limit). Split it: one flow, one check group or one table a file."
            )
        }
    }

    /// A row of a table cannot be broken; all else can.
    static func widths(_ files: [TextFile]) -> [Finding] {
        files.flatMap { file in
            file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { _, line in
                line.count > widthLimit && !line.drop { $0 == " " }.hasPrefix("/// |")
            }.map { index, line in
                Finding(
                    file, line: index + 1,
                    """
                    \(line.count) columns, of at most \(widthLimit). `make format` breaks code; break texts and \
                    comments by hand.
                    """
                )
            }
        }
    }

    static func names(_ files: [TextFile]) -> [Finding] {
        let vague = Pattern(#"(Helpers?|Utils?|Utilit(y|ies)|Managers?)$|^(Helpers?|Utils?|Common)$|Common$|\+"#)
        return files.compactMap { file in
            let words = file.folders.dropFirst() + [file.base]
            guard let word = words.first(where: { !vague.hits(in: $0).isEmpty }) else { return nil }
            return Finding(
                file,
                "\(word) says nothing about what is in it. Name it after its main type or what it does; "
                    + "an extension belongs to the type it serves.")
        }
    }

    /// SwiftPM cannot link two objects of one name.
    static func twins(_ files: [TextFile]) -> [Finding] {
        Dictionary(grouping: files.filter(\.isSwift)) { "\($0.folders.first ?? "")/\($0.target ?? "")/\($0.base)" }
            .values.filter { $0.count > 1 }
            .flatMap { twins in
                let all = twins.sorted { $0.path < $1.path }
                return all.dropFirst().map {
                    Finding($0, "\(all[0].path) has the same base name in the same target. Rename one.")
                }
            }
            .sorted { $0.path < $1.path }
    }

    static func missingDocs(_ files: [TextFile]) -> [Finding] {
        let targets = Dictionary(grouping: files) {
            $0.path.hasPrefix("crawler/") ? "crawler" : "Sources/\($0.target ?? "")"
        }
        return targets.keys.sorted().filter { folder in
            !(targets[folder] ?? []).contains { $0.path == "\(folder)/Doc.swift" }
        }.map { folder in
            Finding(
                path: "\(folder)/Doc.swift",
                "is missing. Say there what the target owns and does not own, which endpoint is in which file, "
                    + "and dated decisions.")
        }
    }
}

@Suite("Sizes and names")
struct ShapeTests {
    @Test("no source file has more than 300 lines")
    func sourceSizes() {
        expectNone(ShapeRules.sizes(Checkout.here.files.filter(\.isSource), limit: ShapeRules.sourceLimit))
    }

    @Test("no test file has more than 400 lines")
    func testSizes() {
        let files = Checkout.here.tests.filter { $0.isSwift || $0.path.hasSuffix(".py") }
        expectNone(ShapeRules.sizes(files, limit: ShapeRules.testLimit))
    }

    @Test("no line of Swift has more than 120 columns, but rows of tables")
    func widths() {
        expectNone(ShapeRules.widths(Checkout.here.files.filter(\.isSwift)))
    }

    @Test(
        "a line may have 120 columns and not 121",
        arguments: [("", 120, true), ("", 121, false), ("    /// | ", 121, true), ("    // ", 121, false)])
    func widthBites(start: String, columns: Int, fine: Bool) {
        let line = start + String(repeating: "a", count: columns - start.count)

        #expect(ShapeRules.widths([TextFile(path: "Sources/Base/A.swift", text: line)]).isEmpty == fine)
    }

    @Test("no file or folder is called Helpers, Utils, Manager, Common or Type+something")
    func names() {
        expectNone(
            ShapeRules.names(
                Checkout.here.files.filter { ($0.isSource || $0.path.hasPrefix("Tests/")) && $0.target != nil }))
    }

    @Test("base names are unique within a target")
    func twins() {
        expectNone(ShapeRules.twins(Checkout.here.sources + Checkout.here.tests))
    }

    @Test("each target has a Doc.swift")
    func docs() {
        expectNone(ShapeRules.missingDocs(Checkout.here.sources))
    }

    @Test("a file may have 300 lines and not 301", arguments: [(300, true), (301, false)])
    func sizeBites(lines: Int, fine: Bool) {
        let file = TextFile(path: "Sources/Base/Long.swift", text: String(repeating: "let a = 1\n", count: lines))

        #expect(ShapeRules.sizes([file], limit: 300).isEmpty == fine)
    }

    @Test(
        "vague names are found, in folders too",
        arguments: [
            ("Sources/Base/Helpers.swift", false), ("Sources/Base/KeyManager.swift", false),
            ("Sources/Base/String+Hex.swift", false),
            ("Sources/OAuth/Utils/Grant.swift", false), ("Sources/Base/Common.swift", false),
            ("Sources/Base/CommonName.swift", true), ("Sources/OAuth/RFC6749/TokenEndpoint.swift", true),
        ])
    func nameBites(path: String, fine: Bool) {
        #expect(ShapeRules.names([TextFile(path: path, text: "")]).isEmpty == fine)
    }

    @Test("twins are found within a target and allowed across")
    func twinBites() {
        let paths = [
            "Sources/OAuth/RFC6749/Scope.swift", "Sources/OAuth/RFC8707/Scope.swift", "Sources/Vocabulary/Scope.swift",
        ]

        let findings = ShapeRules.twins(paths.map { TextFile(path: $0, text: "") })

        #expect(findings.map(\.path) == ["Sources/OAuth/RFC8707/Scope.swift"])
    }

    @Test("a target without Doc.swift is found; one that is in a folder below does not count")
    func docBites() {
        let paths = [
            "Sources/Base/Doc.swift", "Sources/Keys/JWKS.swift", "Sources/OAuth/RFC6749/Doc.swift", "crawler/Doc.swift",
        ]

        let findings = ShapeRules.missingDocs(paths.map { TextFile(path: $0, text: "") })

        #expect(findings.map(\.path) == ["Sources/Keys/Doc.swift", "Sources/OAuth/Doc.swift"])
    }
}
