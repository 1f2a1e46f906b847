import Foundation
import Testing

@testable import Database

@Suite("SQL by interpolation")
struct SQLTests {
    private func text(_ sql: SQL) throws -> String { try Statement(sql).key.text }

    @Test("values are numbered in order")
    func numbering() throws {
        let sql: SQL = "select a from t where id = \(7) and name = \("x")"

        #expect(try text(sql) == "select a from t where id = $1 and name = $2")
        #expect(try Statement(sql).key.types == [.int8, .text])
    }

    @Test("nested parts are spliced in and renumbered")
    func nesting() throws {
        let inner: SQL = "b = \(true) or c = \("y")"
        let sql: SQL = "where a = \(1) and (\(inner)) and d = \([1, 2])"

        #expect(try text(sql) == "where a = $1 and (b = $2 or c = $3) and d = $4")
    }

    @Test("parts can be added and joined")
    func joining() throws {
        let parts: [SQL] = ["a = \(1)", "b = \(2)", "c is null"]

        #expect(try text("where " + parts.joined(separator: " and ")) == "where a = $1 and b = $2 and c is null")
    }

    @Test("identifiers are quoted, raw text is not")
    func identifiers() throws {
        #expect(try text("select \(identifier: #"we"ird"#) from \(raw: "t")") == #"select "we""ird" from t"#)
        #expect(try text("\(identifier: #""""#)") == #""""""""#)
    }

    @Test("nil binds NULL of the type of what it is not")
    func null() throws {
        let statement = try Statement("select \(nil as UUID?)")

        #expect(statement.key.types == [.uuid])
        #expect(statement.values == [nil])
    }

    @Test("NUL is refused in values, in identifiers and in raw text")
    func nul() {
        for sql: SQL in [
            "select \("a\u{0}b")", "select \(identifier: "a\u{0}b")", "\(raw: "select 1\u{0}; drop table t")",
        ] {
            #expect { try Statement(sql) } throws: { ($0 as? DatabaseError)?.description.contains("NUL") == true }
        }
    }

    @Test("more values than the protocol can number are refused")
    func tooMany() {
        let list = (0...65_535).map { "\($0)" as SQL }.joined(separator: ",")

        #expect(throws: DatabaseError.server(sqlState: "54000", message: "a statement takes at most 65535 values")) {
            try Statement(list)
        }
    }
}
