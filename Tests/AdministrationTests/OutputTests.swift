import Base
import Foundation
import Testing

@testable import Administration

@Suite("What commands tell people and programs")
struct OutputTests {
    private static let now = Date(numericDate: 1_800_000_000)

    private static let services: AdminResult = .list(
        [
            [
                "id": "learn", "name": "Learning at the university of somewhere", "status": "active",
                "base": "https://learn.example.org/a/rather/long/address", "institution": .null,
                "created_at": .string(Date(numericDate: 1_799_990_000).rfc3339), "dead": 12,
            ],
            [
                "id": "mail", "name": "Mail", "status": "suspended", "base": "https://mail.example.org",
                "institution": .null, "created_at": .string(Date(numericDate: 1_700_000_000).rfc3339), "dead": 9,
            ],
        ], next: nil)

    private func told(
        _ result: AdminResult = services, _ format: OutputFormat = .table, columns: [String]? = nil,
        sort: String? = nil, preferred: [String] = [], width: Int? = nil, colours: Bool = false
    ) throws -> [String] {
        try ResultText(
            format, columns: columns, sort: sort, preferred: preferred,
            terminal: Terminal(width: width, hasColours: colours), now: Self.now
        ).text(result).split(separator: "\n").map(String.init)
    }

    @Test("a table fits the terminal, and its first column is whole", arguments: [20, 40, 60, 80, 200])
    func fits(width: Int) throws {
        let lines = try told(width: width)

        #expect(lines.allSatisfy { PlainText.width($0) <= width }, "\(lines)")
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix("learn"))
    }

    @Test("a column that says nothing, or that a command does not prefer, is not shown on a terminal")
    func preferred() throws {
        let lines = try told(preferred: ["id", "institution", "status", "created_at"], width: 80)

        #expect(lines[0].split(separator: " ") == ["ID", "STATUS", "CREATED_AT"])
        #expect(lines[1].hasSuffix("2 h ago"))
    }

    @Test("elsewhere all columns are told, none shortened, times exactly, nothing coloured", arguments: [false, true])
    func piped(isWide: Bool) throws {
        let lines = try told(Self.services, isWide ? .wide : .table, preferred: ["id"], width: isWide ? 30 : nil)

        #expect(lines[0].split(separator: " ").count == 7)
        #expect(lines[1].contains("Learning at the university of somewhere"))
        #expect(lines[1].contains(Date(numericDate: 1_799_990_000).rfc3339))
        #expect(!lines.joined().contains("\u{1B}") && !lines.joined().contains("…"))
    }

    @Test("words of a status have a colour where there are colours, and only those")
    func colours() throws {
        let plain = try told(width: 200), coloured = try told(width: 200, colours: true)

        #expect(!plain.joined().contains("\u{1B}"))
        #expect(coloured[1].contains("\u{1B}[32mactive\u{1B}[0m"))
        #expect(coloured[2].contains("\u{1B}[33msuspended\u{1B}[0m"))
        #expect(coloured.joined().components(separatedBy: "\u{1B}[0m").count == 3)
    }

    @Test("JSON is one line with items and a cursor, whatever stdout is")
    func json() throws {
        let list: AdminResult = .list([["id": "a"]], next: "b")

        #expect(try told(list, .json, width: 20, colours: true) == [#"{"items":[{"id":"a"}],"next":"b"}"#])
        #expect(try told(.object(["id": "a", "n": 1]), .json) == [#"{"id":"a","n":1}"#])
    }

    @Test("YAML quotes what could be read as something else")
    func yaml() throws {
        let object: AdminResult = .object([
            "id": "learn", "yes": "no", "number": "12", "empty": "", "text": "a: b", "list": ["x", ["y": 1]],
            "none": [], "deep": ["at": .null],
        ])

        #expect(
            try told(object, .yaml) == [
                "id: learn", #""yes": "no""#, #"number: "12""#, #"empty: """#, #"text: "a: b""#, "list:", "  - x",
                #"  - "y": 1"#, "none: []", "deep:", "  at: null",
            ])
    }

    @Test("names are what commands take")
    func names() throws {
        #expect(try told(Self.services, .name) == ["learn", "mail"])
        #expect(try told(.object(["id": "0190", "username": "grace"]), .name) == ["grace"])
        #expect(try told(.list([["id": 7, "node": "key:x"], ["node": "key:y"]], next: nil), .name) == ["7", "key:y"])
        #expect(try told(.list([], next: nil), .name) == [])
    }

    @Test("a list is ordered by a member, by numbers where they are, and what has none comes last")
    func sorted() throws {
        let items: AdminResult = .list(
            [["id": "a", "n": 10], ["id": "b", "n": .null], ["id": "c", "n": 9]], next: nil)

        #expect(try told(items, .name, sort: "n") == ["c", "a", "b"])
        #expect(try told(items, .name, sort: "-n") == ["a", "c", "b"])
        #expect(try told(items, .name, sort: "-id") == ["c", "b", "a"])
    }

    @Test("columns are those that were asked for, in that order, however narrow the terminal")
    func chosen() throws {
        let lines = try told(columns: ["base", "id"], width: 20)

        #expect(lines[0].split(separator: " ") == ["BASE", "ID"])
        #expect(lines[1] == "https://learn.example.org/a/rather/long/address  learn")
    }

    @Test("a member that nothing has is asked about", arguments: [("--columns", "statsu"), ("--sort", "-statsu")])
    func unknown(option: String, name: String) throws {
        let failure = try #require(throws: AdminFailure.self) {
            try told(columns: option == "--columns" ? [name] : nil, sort: option == "--sort" ? name : nil)
        }

        #expect(failure.code == .usage)
        #expect(failure.hint?.hasPrefix("did you mean status?") == true)
    }

    @Test("letters of others do not steer the terminal, and wide ones take two columns")
    func letters() throws {
        let lines = try told(
            .list([["id": "a", "name": "日本語\u{1B}[2J"], ["id": "b", "name": "x"]], next: nil), width: 12)

        #expect(!lines.joined().contains("\u{1B}"))
        #expect(lines.allSatisfy { PlainText.width($0) <= 12 })
        #expect(PlainText.width("日本") == 4)
    }

    @Test(
        "how long ago",
        arguments: [
            (-5, "5 s ago"), (-90, "1 min ago"), (-7_300, "2 h ago"), (-200_000, "2 d ago"), (90_000, "in 25 h"),
            (-100_000_000, "3 y ago"),
        ])
    func relative(seconds: Int, text: String) {
        #expect(RelativeTime.text(Self.now.addingTimeInterval(TimeInterval(seconds)), now: Self.now) == text)
    }
}
