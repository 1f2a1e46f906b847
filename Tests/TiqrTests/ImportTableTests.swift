import Base
import Testing

@testable import Tiqr

@Suite("Tables as mysql, psql and sqlite3 export them")
struct ImportTableTests {
    static func rows(_ text: String) throws -> [[String: String]] {
        let table = try ExportedTable(text)
        return table.lines.map { line in
            Dictionary(uniqueKeysWithValues: table.columns.compactMap { name in line[name].map { (name, $0) } })
        }
    }

    @Test("mysql --batch: tabs, escapes, and NULL for none")
    func tabbed() throws {
        let rows = try Self.rows(
            "id\tUserID\tdisplayname\tblocked\n1\tada\tAda\\tLove\\nlace \\\\ \\0\tNULL\n2\tbob\t\t1\n")

        #expect(
            rows == [
                ["id": "1", "userid": "ada", "displayname": "Ada\tLove\nlace \\ \0"],
                ["id": "2", "userid": "bob", "blocked": "1"],
            ])
    }

    @Test("psql --csv and sqlite3 -csv: quotes, commas, line ends of either kind, and nothing for none")
    func commas() throws {
        let rows = try Self.rows(
            "\u{FEFF}userid,displayname,blocked\r\nada,\"Love, \"\"Ada\"\"\nlace\",f\r\nbob,\"\",\r\n\r\ncleo,Cleo,t")

        #expect(
            rows == [
                ["userid": "ada", "displayname": "Love, \"Ada\"\nlace", "blocked": "f"], ["userid": "bob"],
                ["userid": "cleo", "displayname": "Cleo", "blocked": "t"],
            ])
    }

    @Test("a line's number is that of its beginning in the file")
    func numbers() throws {
        let table = try ExportedTable("userid,displayname\nada,\"A\nB\"\nbob,B\n")

        #expect(table.lines.map(\.number) == [2, 4])
    }

    @Test(
        "a table that is not whole is refused by its line, without what stands in it",
        arguments: [
            ("", "column names"), ("userid,secret\nada\n", "line 2 has 1"),
            ("userid,secret\nada,00ff,x\n", "line 2 has 3"), ("userid\tsecret\nada\tb\tc\n", "line 2 has 3"),
            ("userid,userid\n", "line 1"), ("userid,\n", "line 1"),
            ("userid,secret\nada,\"00ff\n", "line 2: a quote is never closed"),
            ("userid,secret\nada,\"00\"ff\n", "line 2: a quote in the middle"),
            ("userid,secret\nada,00\"ff\n", "line 2: a quote in the middle"),
            ("userid\tsecret\nada\t00\\xff\n", "line 2: a backslash"),
            ("userid\tsecret\nada\t00ff\\\n", "line 2: a backslash"),
        ])
    func malformed(text: String, reason: String) {
        #expect { try ExportedTable(text) } throws: { error in
            let told = (error as? ExportedTable.Malformed)?.description ?? ""
            return told.contains(reason) && !told.contains("00ff")
        }
    }

    @Test("who is whom: each userid once, with somebody")
    func people() throws {
        let people = try ImportPlan.people(ExportedTable("userid,person\nx1,ada\nx2,bob\n"))

        #expect(people == ["x1": "ada", "x2": "bob"])
        for text in [
            "userid,name\nx1,ada\n", "userid,person\nx1,\n", "userid,person\n,ada\n", "userid,person\nx1,ada\nx1,bob\n",
        ] {
            #expect(throws: ExportedTable.Malformed.self, "\(text)") { try ImportPlan.people(ExportedTable(text)) }
        }
    }
}
