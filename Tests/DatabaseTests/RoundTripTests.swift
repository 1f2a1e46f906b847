import Base
import Database
import Foundation
import Testing

private enum Colour: String, SQLEncodable, SQLDecodable { case red, green }

private struct Identifier: RawRepresentable, Equatable, SQLEncodable, SQLDecodable { let rawValue: UUID }

@Suite("Values survive the way to the server and back")
struct RoundTripTests {
    private func echo<Value: SQLEncodable & SQLDecodable & Equatable>(
        _ database: Database, _ values: Value...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for value in values {
            let row = try #require(try await database.query("select \(value) as v").first)
            #expect(try row("v") == value, sourceLocation: sourceLocation)
        }
    }

    @Test("numbers, text, identifiers and bytes")
    func scalars() async throws {
        try await TestDatabase.with { (database) async throws in
            try await echo(database, true, false)
            try await echo(database, Int16.min, 0, Int16.max)
            try await echo(database, Int32.min, -1, Int32.max)
            try await echo(database, Int.min, 0, Int.max)
            try await echo(database, Int64.min, Int64.max)
            try await echo(database, 0, -0.5, Double.pi, .infinity, -.infinity, .leastNonzeroMagnitude)
            try await echo(
                database, "", "plain", "'; drop table t; --", "\"quoted\" \\ back\nslash", "👩‍👩‍👧 ü\u{301} 漢字", "$1")
            try await echo(database, UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)))
            try await echo(database, [] as [UInt8], [0, 1, 255, 0])
        }
    }

    @Test("times keep their microseconds, also before 2000 and 1970")
    func times() async throws {
        try await TestDatabase.with { (database) async throws in
            let moments = [
                "2026-11-21 10:00:00.123456+00", "1999-12-31 23:59:59.999999+00", "1969-07-20 20:17:40.000001+00",
                "0001-01-01 00:00:00+00",
            ]

            for moment in moments {
                let row = try #require(try await database.query("select \(raw: "'\(moment)'")::timestamptz as t").first)
                let date: Date = try row("t")
                let same = try await database.query(
                    """
                    select \(date) = \(moment)::text::timestamptz as same, extract(epoch
                        from \(date)) = extract(epoch from \(moment)::text::timestamptz) as exact
                    """
                )
                #expect(try same[0]("same"), "\(moment)")
                #expect(try same[0]("exact"), "\(moment)")
            }
            let infinite = try await database.query(
                "select 'infinity'::timestamptz as late, '-infinity'::timestamptz as early")
            #expect(try infinite[0]("late") == Date.distantFuture)
            #expect(try infinite[0]("early") == Date.distantPast)
            let nonsense = await failure {
                try await database.query("select \(Date(timeIntervalSince1970: .nan)) as t")
            }
            #expect(nonsense == .server(sqlState: "22008", message: "timestamp out of range"))
        }
    }

    @Test("arrays, empty ones, and ones with NULL inside")
    func arrays() async throws {
        try await TestDatabase.with { (database) async throws in
            try await echo(database, [UUID(), UUID()], [])
            try await echo(database, ["a", "{}", "\"", "", "NULL"], [])
            try await echo(database, [Int64.min, 0, .max], [])
            try await echo(database, [1, 2, 3] as [Int], [])
            try await echo(database, [true, false], [])
            try await echo(database, [Date(timeIntervalSince1970: 1_000_000.25), Date(timeIntervalSince1970: -5)], [])
            try await echo(database, [[1, 2], [], [255]] as [[UInt8]], [])
            try await echo(database, [1.5, -2.5], [])
            try await echo(database, ["a", nil, "b"] as [String?], [nil])
            let rows = try await database.query(
                "select x from unnest(\([3, 1, 2])) with ordinality as t(x, n) order by n")
            #expect(try rows.map { try $0("x") as Int } == [3, 1, 2])
        }
    }

    @Test("types with a raw value, alone and in arrays")
    func rawValues() async throws {
        try await TestDatabase.with { (database) async throws in
            try await echo(database, Colour.red, .green)
            try await echo(database, [Colour.red, .green])
            try await echo(database, [Identifier(rawValue: UUID()), Identifier(rawValue: UUID())])
            try await echo(database, Identifier(rawValue: UUID()) as Identifier?, nil)
            let row = try await database.query("select 'blue'::text as colour")[0]
            #expect(throws: DatabaseError.decoding(column: "colour", expected: "Colour")) {
                try row("colour") as Colour
            }
        }
    }

    @Test("JSON, in jsonb and json columns")
    func json() async throws {
        try await TestDatabase.with { (database) async throws in
            let value: JSONValue = ["a": [1, .number(2.5), true, nil, "x\"\n<é👍"], "b": [:], "c": []]
            try await echo(database, value, nil, "text", 7, [])
            let row = try await database.query(
                "select '{\"k\": [1]}'::json as j, \(value) -> 'a' ->> 4 as inner, null::jsonb as none")[0]
            #expect(try row("j") == ["k": [1]] as JSONValue)
            #expect(try row("inner") == "x\"\n<é👍")
            #expect(try row("none", as: JSONValue?.self) == JSONValue?.none)
        }
    }

    @Test("integers read from any width, text from its kin")
    func widths() async throws {
        try await TestDatabase.with { (database) async throws in
            let row = try await database.query(
                """
                select 1::int2 as a, 2::int4 as b, 3::int8 as c, 40000::int4 as d, 'n'::name as e,
                    'v'::varchar(3) as f, 'b'::char(3) as g, 1.5::float4 as h
                """)[0]
            #expect(try [row("a"), row("b"), row("c")] as [Int] == [1, 2, 3])
            #expect(try [row("e"), row("f"), row("g")] as [String] == ["n", "v", "b  "])
            #expect(try row("h") == 1.5)
            #expect(throws: DatabaseError.decoding(column: "d", expected: "Int16")) { try row("d") as Int16 }
        }
    }

    @Test("NULL, a wrong type and a missing column are told apart from values")
    func wrong() async throws {
        try await TestDatabase.with { (database) async throws in
            let row = try await database.query("select null::text as none, 'x'::text as text")[0]
            #expect(try row("none", as: String?.self) == nil)
            #expect(throws: DatabaseError.decoding(column: "none", expected: "String")) { try row("none") as String }
            #expect(throws: DatabaseError.decoding(column: "text", expected: "Int")) { try row("text") as Int }
            #expect(throws: DatabaseError.decoding(column: "absent", expected: "in the result")) {
                try row("absent") as Int
            }
        }
    }
}
