import Foundation
import Testing

/// Published vectors lie in `shared/vectors`, beside the checkout and not in it: how many there are, and which of them
/// no test reads.
enum VectorRules {
    /// The words with which tests read the vectors of a folder.
    static let words = ["powerauth": "PowerAuthVectors.", "tiqr": "TiqrVectors.", "webauthn": "WebAuthnVectors."]
    /// Held against a list, token by token: PublishedVectorTests.
    static let listed: Set<String> = ["jose"]

    static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.pathComponents.count > 1 {
            let candidate = place.appending(path: "shared/vectors")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            place.deleteLastPathComponent()
        }
        return nil
    }()
    static let whyNot: Comment = "shared/vectors is in no folder above this file; its files are not counted"

    /// What no test reads: a file, or a list in one.
    struct Unread: Equatable {
        let folder: String
        let place: String
        let cases: Int
    }

    static func files(in folder: URL) throws -> [VectorFile] {
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".json") }.sorted().map { path in
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: path)))
            return VectorFile(path: path, json: json as? [String: Any] ?? [:])
        }
    }

    static func unread(_ files: [VectorFile], by tests: [TextFile]) -> [Unread] {
        let readers = tests.filter { $0.name.hasSuffix("Tests.swift") && $0.target != "ArchitectureTests" }
            .map { VectorReader($0.text) }
        return files.filter { !listed.contains($0.folder) }.flatMap { file -> [Unread] in
            let own = words[file.folder].map { word in readers.filter { $0.reads(file, with: word) } } ?? []
            guard !own.isEmpty else { return [Unread(folder: file.folder, place: file.path, cases: file.cases)] }
            return file.lists.filter { list in !own.contains { $0.reads(list.key, of: file) } }
                .sorted { $0.key < $1.key }
                .map { Unread(folder: file.folder, place: "\(file.path) \($0.key)", cases: $0.value) }
        }
    }

    /// A line for each folder. Which rows of a file are passed over, and why, stands in its test.
    static func tally(_ files: [VectorFile], without unread: [Unread]) -> [String] {
        Set(files.map(\.folder)).sorted().map { folder in
            let own = files.filter { $0.folder == folder }, all = own.reduce(0) { $0 + $1.cases }
            let left = unread.filter { $0.folder == folder }.reduce(0) { $0 + $1.cases }
            return "vectors of \(folder): \(all - left) of \(all) cases in \(own.count) files are read by tests"
        }
    }
}

struct VectorFile {
    /// Below `shared/vectors`.
    let path: String
    /// Lists beside the one that a file has as a rule, and how many rows each has.
    let lists: [String: Int]
    let cases: Int

    var folder: String { String(path.prefix { $0 != "/" }) }
    var name: String { String((path.split(separator: "/").last ?? "").dropLast(".json".count)) }

    init(path: String, json: [String: Any]) {
        self.path = path
        if let groups = json["testGroups"] as? [[String: Any]] {
            lists = [:]
            cases = groups.reduce(0) { $0 + (($1["tests"] as? [Any])?.count ?? 0) }
            return
        }
        // The cookbook of JOSE has a token in each file.
        if path.hasPrefix("jose/cookbook/") {
            lists = [:]
            cases = json["output"] == nil ? 0 : 1
            return
        }
        let parts = json["vectors"] as? [String: Any]
        var found: [String: Int] = [:]
        for (name, value) in parts ?? json where !["source", "vectors"].contains(name) {
            if let rows = value as? [Any] { found[name] = rows.count }
            // One whole flow has a step in each.
            if parts != nil, value is [String: Any] { found[name] = 1 }
        }
        lists = found
        cases = found.values.reduce((json["vectors"] as? [Any])?.count ?? 0, +)
    }
}

/// What a test's text says of files of vectors.
struct VectorReader {
    private static let whole = Pattern(#""([a-z0-9_]*-[a-z0-9_-]*)""#)
    private static let head = Pattern(#""([a-z0-9_]*-[a-z0-9_-]*)\\\("#)

    private let text: String
    /// Names with a hyphen are those of files wherever they stand, and what stands before an interpolation begins some.
    private let names: Set<String>
    private let heads: Set<String>

    init(_ text: String) {
        self.text = text
        let reads = VectorRules.words.values.contains { text.contains($0) }
        names = reads ? Set(Self.whole.hits(in: text).map(\.captured)) : []
        heads = reads ? Set(Self.head.hits(in: text).map(\.captured)) : []
    }

    func reads(_ file: VectorFile, with word: String) -> Bool {
        guard text.contains(word) else { return false }
        // tiqr's one file is not named.
        return file.folder == "tiqr" || names.contains(file.name) || heads.contains { file.name.hasPrefix($0) }
            || text.contains("rows(\"\(file.name)\"") || text.contains("file(\"\(file.name)\"")
    }

    func reads(_ list: String, of file: VectorFile) -> Bool {
        text.contains("(\"\(list)\"") || text.contains("[\"\(list)\"")
            || text.contains("rows(\"\(file.name)\", \"\(list)\"")
    }
}

@Suite("Published vectors")
struct VectorTests {
    @Test(
        "each file beside the checkout, and each list in one, is read by a test",
        .enabled(if: VectorRules.folder != nil, VectorRules.whyNot))
    func files() throws {
        let files = try VectorRules.files(in: #require(VectorRules.folder))
        let unread = VectorRules.unread(files, by: Checkout.here.tests)

        for line in VectorRules.tally(files, without: unread) { print(line) }
        #expect(Set(files.map(\.folder)).isSuperset(of: VectorRules.words.keys))
        expectNone(
            unread.map {
                Finding(path: "shared/vectors/\($0.place)", "no test reads it: have it judged, or say why not.")
            })
    }

    private static let sample = TextFile(
        path: "Tests/PowerAuthTests/CodeVectorTests.swift",
        text: #"""
            for row in try PowerAuthVectors.rows("pac", count: 1) { row.text("totp") }
            try PowerAuthVectors.rows("e2ee-\(scope)-v33", count: 2)
            let file = "v4-counter", codes = try PowerAuthVectors.rows("codes", "qr", count: 3)
            """#)

    @Test("a file, a list and a folder that no test reads are found, and what is left is counted")
    func bites() {
        func file(_ path: String, _ json: [String: Any]) -> VectorFile { VectorFile(path: path, json: json) }
        let rows = [1, 2], parts: [String: Any] = ["qr": rows, "crc16": rows, "about": "x"]
        let files = [
            file("jose/rfc.json", ["jws": rows]), file("jose/wycheproof.json", ["testGroups": [["tests": rows]]]),
            file("ocra/one.json", ["vectors": rows]),
            file("powerauth/codes.json", ["source": rows, "vectors": parts]),
            file("powerauth/e2ee-application-v33.json", ["vectors": rows]),
            file("powerauth/pac.json", ["vectors": rows]), file("powerauth/totp.json", ["vectors": rows]),
            file("powerauth/v4-counter.json", ["vectors": rows]), file("powerauth/v4-token.json", ["vectors": rows]),
        ]

        let unread = VectorRules.unread(files, by: [Self.sample])

        #expect(
            unread.map(\.place) == [
                "ocra/one.json", "powerauth/codes.json crc16", "powerauth/totp.json", "powerauth/v4-token.json",
            ])
        #expect(
            VectorRules.tally(files, without: unread) == [
                "vectors of jose: 4 of 4 cases in 2 files are read by tests",
                "vectors of ocra: 0 of 2 cases in 1 files are read by tests",
                "vectors of powerauth: 8 of 14 cases in 6 files are read by tests",
            ])
    }
}
