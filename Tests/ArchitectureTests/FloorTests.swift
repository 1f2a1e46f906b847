import Testing

/// Targets import lower floors only, never a sibling; each outside package has its rooms.
enum FloorRules {
    static func floors(_ files: [TextFile]) -> [Finding] {
        files.flatMap { file -> [Finding] in
            guard let target = file.target, let floor = Floors.floor(of: target) else { return [] }
            return file.imports.compactMap { module, line in
                guard module != target, let other = Floors.floor(of: module), other >= floor else { return nil }
                let relation = other == floor ? "its sibling" : "the higher floor \(other),"
                return Finding(
                    file, line: line,
                    "\(target) (floor \(floor)) imports \(relation) \(module). "
                        + """
                        Move what both need to a lower floor, or take it as a value or closure that a higher \
                        floor passes in.
                        """
                )
            }
        }
    }

    static func beside(_ files: [TextFile]) -> [Finding] {
        files.filter { $0.target.map(Floors.beside.contains) ?? false }.flatMap { file in
            file.imports.filter { Floors.floor(of: $0.module) != nil }.map {
                Finding(
                    file, line: $0.line,
                    "\(file.target ?? "") imports \($0.module) of the server, without which "
                        + "its users must be able to build it. Write what it needs of it there.")
            }
        }
    }

    static func outside(_ files: [TextFile]) -> [Finding] {
        files.flatMap { file -> [Finding] in
            guard let target = file.target else { return [] }
            return file.imports.compactMap { module, line in
                if let owners = Floors.owners(of: module) {
                    guard !owners.contains(target) else { return nil }
                    return Finding(
                        file, line: line,
                        "\(module) is only for \(owners.sorted().joined(separator: ", ")), not for \(target). "
                            + "Call that room, or take a closure.")
                }
                guard Floors.floor(of: module) == nil, !Floors.common.contains(module) else { return nil }
                return Finding(
                    file, line: line,
                    "nobody has decided who may import \(module). Decide it in ArchitectureTests/Floors.swift.")
            }
        }
    }

    static func unknownTargets(_ files: [TextFile]) -> [Finding] {
        Set(files.compactMap(\.target)).sorted().filter { Floors.floor(of: $0) == nil && !Floors.beside.contains($0) }
            .map { target in
                Finding(
                    path: "Sources/\(target)",
                    "\(target) has no floor. Give it one in ArchitectureTests/Floors.swift and in docs.")
            }
    }
}

@Suite("Rooms and floors")
struct FloorTests {
    @Test("a target imports lower floors only, never a sibling")
    func floors() {
        expectNone(FloorRules.floors(Checkout.here.sources))
    }

    @Test("a library beside the floors imports nothing of the server")
    func beside() {
        expectNone(FloorRules.beside(Checkout.here.sources))
    }

    @Test("outside packages are imported only by their rooms")
    func outside() {
        expectNone(FloorRules.outside(Checkout.here.sources))
    }

    @Test("every target has a floor")
    func unknownTargets() {
        expectNone(FloorRules.unknownTargets(Checkout.here.files.filter(\.isSource)))
    }

    @Test("the checkout is really read")
    func notEmpty() {
        #expect(Checkout.here.sources.contains { $0.path == "Sources/Base/Doc.swift" })
        #expect(Checkout.here.files.contains { $0.path == ".ci/run" })
    }

    @Test(
        "siblings and higher floors are found, in every spelling of import",
        arguments: [
            "import TokenTree", "  public import OAuth", "@preconcurrency import Keys",
            "@_spi(Test) internal import struct Accounts.Person",
        ])
    func bites(statement: String) {
        let file = TextFile(path: "Sources/Keys/SigningKey.swift", text: "import Base\nimport Database\n\(statement)\n")

        let findings = FloorRules.floors([file])

        let own = statement.hasSuffix(" Keys")
        #expect(findings.map(\.place) == (own ? [] : ["Sources/Keys/SigningKey.swift:3"]))
    }

    @Test("an import of the server is found in a library beside it", arguments: [("Base", true), ("Crypto", false)])
    func besideBites(module: String, bad: Bool) {
        let file = TextFile(path: "Sources/PandoClient/Key.swift", text: "\nimport \(module)\n")

        #expect(FloorRules.beside([file]).map(\.line) == (bad ? [2] : []))
    }

    @Test(
        "what only reads like an import is none",
        arguments: [
            "// import OAuth", "/* a\nimport OAuth\n*/", "/// import OAuth", "let importOAuth = 1",
        ])
    func comments(text: String) {
        #expect(TextFile(path: "Sources/Base/Doc.swift", text: text).imports.isEmpty)
    }

    @Test(
        "an outside package in the wrong room is found",
        arguments: [
            ("Sources/HTTP/Route.swift", "JWTKit", false), ("Sources/Keys/Key.swift", "JWTKit", true),
            ("crawler/Fetch.swift", "NIOCore", true), ("Sources/OAuth/Grant.swift", "NIOCore", false),
            ("Sources/HTTP/Route.swift", "HummingbirdCore", true), ("Sources/pando/Serve.swift", "Hummingbird", false),
            ("Sources/Accounts/Password.swift", "CArgon2", true), ("crawler/Fetch.swift", "CArgon2", false),
            ("Sources/Federation/Push.swift", "AsyncHTTPClient", false),
            ("Sources/TokenTree/Store.swift", "Crypto", false),
            ("Sources/Base/Value.swift", "Foundation", true),
            ("Sources/Base/Value.swift", "FoundationNetworking", false),
        ])
    func outsideBites(path: String, module: String, fine: Bool) {
        let findings = FloorRules.outside([TextFile(path: path, text: "\n\nimport \(module)\n")])

        #expect(findings.map(\.place) == (fine ? [] : ["\(path):3"]))
    }

    @Test("a new folder in Sources is found")
    func unknownBites() {
        let files = [
            TextFile(path: "Sources/Base/A.swift", text: ""), TextFile(path: "Sources/Cellar/B.swift", text: ""),
        ]

        #expect(FloorRules.unknownTargets(files).map(\.path) == ["Sources/Cellar"])
    }
}
