import Base
import Testing

@testable import Commands

@Suite("A file of people in parts, for a server far away", .timeLimit(.minutes(30)))
struct RemoteImportTests {
    private static let header = "username,name\r\n"

    private func parts(_ text: String, _ separator: Character = ",", whole: Bool = false) -> [RemoteImport.Part] {
        RemoteImport.parts(of: text, separator: separator, whole: whole)
    }

    /// What stands below the header of all parts.
    private func below(_ header: String, _ parts: [RemoteImport.Part]) -> String {
        #expect(parts.allSatisfy { $0.text.hasPrefix(header) })
        return parts.map { String($0.text.unicodeScalars.dropFirst(header.unicodeScalars.count)) }.joined()
    }

    @Test("five hundred lines are a part, each with the header; no byte of the file is lost")
    func lines() {
        let lines = (1...1_201).map { "person\($0),P\r\n" }.joined()

        let parts = parts(Self.header + lines)

        #expect(parts.map(\.count) == [500, 500, 201] && below(Self.header, parts) == lines)
        #expect(parts[0].numbers[2] == 2 && parts[1].numbers[2] == 502 && parts[2].numbers[202] == 1_202)
    }

    @Test("a part is not larger than a request has room for, but where one line is")
    func size() {
        let lines = (1...7).map { "p\($0)," + String(repeating: "x", count: 10_000) + "\n" }
        let large = "q," + String(repeating: "y", count: 30_000) + "\n"

        let parts = parts("username,name\n" + lines.joined() + large + lines.joined())

        #expect(parts.map(\.count) == [2, 2, 2, 1, 1, 2, 2, 2, 1])
        #expect(below("username,name\n", parts) == lines.joined() + large + lines.joined())
    }

    @Test(
        "a line end within quotes parts nothing, and lines keep the numbers that editors show",
        arguments: ["\n", "\r\n"])
    func quotes(end: String) {
        let header = "username;name" + end
        // Line 2 is empty; each person takes two.
        let lines = end + (1...600).map { "p\($0);\"one\(end)two\"\(end)" }.joined()

        let parts = parts(header + lines, ";")

        #expect(parts.map(\.count) == [500, 100] && below(header, parts) == lines)
        #expect(parts[0].numbers[3] == 3 && parts[1].numbers[2] == 1_003 && parts[1].numbers[4] == 1_005)
    }

    @Test("what must be seen whole goes whole, and so does what has no lines")
    func whole() {
        let text = Self.header + (1...1_201).map { "person\($0),P\r\n" }.joined()

        #expect(parts(text, whole: true).map(\.text) == [text] && parts(text, whole: true)[0].count == 1_201)
        for text in ["", Self.header, "username"] { #expect(parts(text).map(\.text) == [text]) }
    }

    @Test("counts are added up, lines have the numbers of the file, and a hundred refusals are told")
    func sums() throws {
        let parts = parts(Self.header + (1...1_000).map { "person\($0),P\r\n" }.joined())
        let refusals = (2...61).map { line -> JSONValue in ["outcome": "refused", "line": .integer(line)] }
        let told: JSONObject = [
            "new": 440, "same": 0, "refused": 60, "ignored_columns": ["x"], "refusals": .array(refusals),
            "links": [["username": "a", "link": "b"]], "dry_run": false,
        ]

        var result = JSONObject()
        for part in parts { RemoteImport.add(told, of: part, to: &result) }

        #expect(result["new"] == 880 && result["same"] == 0 && result["refused"] == 120)
        #expect(result["dry_run"] == false && result["ignored_columns"] == ["x"])
        #expect(result["links"]?.array?.count == 2)
        let lines = (result["refusals"]?.array ?? []).compactMap { $0["line"]?.integer }
        #expect(lines == Array(2...61) + Array(502...541))
    }
}
