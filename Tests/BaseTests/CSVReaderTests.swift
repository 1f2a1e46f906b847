import Base
import Testing

@Suite("RFC 4180: comma-separated values")
struct CSVReaderTests {
    private func read(_ text: String, by size: Int = 1_000) -> [CSVReader.Line] { read(Array(text.utf8), by: size) }

    private func read(_ bytes: [UInt8], by size: Int = 1_000) -> [CSVReader.Line] {
        var reader = CSVReader(), lines: [CSVReader.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += reader.read(bytes[start..<min(start + size, bytes.count)])
        }
        return lines + reader.finish()
    }

    private func fields(_ lines: [CSVReader.Line]) -> [[String]?] { lines.map { try? $0.fields.get() } }

    @Test(
        "what fields are",
        arguments: [
            ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
            ("\u{FEFF}a,b\n", [["a", "b"]]), ("a,,\n", [["a", "", ""]]), ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]),
            ("\"a\r\nb\",c\n", [["a\r\nb", "c"]]), ("a\n\n\nb\n", [["a"], ["b"]]), ("\"\"\n", [[""]]),
            ("Zürich,é\n", [["Zürich", "é"]]), ("", []), ("a\rb\r", [["a"], ["b"]]),
        ])
    func fields(text: String, expected: [[String]]) {
        #expect(fields(read(text)) == expected)
        #expect(fields(read(text, by: 1)) == expected, "byte by byte")
    }

    @Test("a line that is none is told with its number, and the next one is read")
    func problems() {
        let lines = read("a,b\nx\"y,b\nc,d\n\"e\"f,g\nh,i\n")

        #expect(lines.map(\.number) == [1, 2, 3, 4, 5])
        #expect(fields(lines) == [["a", "b"], nil, ["c", "d"], nil, ["h", "i"]])
        #expect(lines[1].fields == .failure(.strayQuote) && lines[3].fields == .failure(.strayQuote))
    }

    @Test("bytes that are no text")
    func encodings() {
        #expect(
            read(Array("a,".utf8) + [0xFF, 0x0A] + Array("b,c\n".utf8)).map(\.fields) == [
                .failure(.notUTF8), .success(["b", "c"]),
            ])
        #expect(read([0x61, 0x00, 0x0A]).map(\.fields) == [.failure(.nulByte)])
        #expect(read([0xEF, 0xBB]).map(\.fields) == [.failure(.notUTF8)])
    }

    @Test("lines within quotes count, and a quote that is left open takes in no more than is read of one")
    func openQuotes() {
        #expect(read("\"a\nb\"\nc\n").map(\.number) == [1, 3])
        #expect(read("\"a,b\nc,d\n").map(\.fields) == [.failure(.unfinished)])
        let long = read("\"" + String(repeating: "x\n", count: CSVReader.longest) + "tail,end\n")
        #expect(long.first?.fields == .failure(.tooLong) && long.last?.fields == .success(["tail", "end"]))
    }

    @Test("what is written is read again, and no spreadsheet calculates it")
    func written() throws {
        let values = ["=1+1", "-3", "@x", "+41 31", "a\"b", "c,d", "e\nf", "'quoted", "plain", ""]
        let line = CSVWriter.line(values)

        let read = try #require(try read(line).first?.fields.get())
        #expect(line.hasPrefix("'=1+1,'-3,'@x,'+41 31,"))
        #expect(read.map(CSVWriter.unguarded) == values)
    }

    @Test("what combines with a quote or a sign leaves them what they are, and apostrophes of one's own stay")
    func combined() throws {
        let values = ["x\"\u{301},=1", "=\u{301}1+1", "@\u{FE0F}x", "'=1+1", "''-3", "'"]
        let line = CSVWriter.line(values)

        let read = try #require(try read(line).first?.fields.get())
        #expect(line.hasPrefix("\"x\"\"\u{301},=1\",'") && read.count == values.count)
        #expect(read.map(CSVWriter.unguarded) == values)
        #expect(read.allSatisfy { $0.unicodeScalars.first.map { !"=+-@".unicodeScalars.contains($0) } ?? true })
    }
}
