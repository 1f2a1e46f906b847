import PageTestSupport
import Testing

@testable import Pages

@Suite("QR codes")
struct QRCodeTests {
    /// As long as a link of the tiqr app with a session of 16 bytes.
    static let link = "tiqrauth://pando.example.org/0da1c51c3c3be54441527d4e5bde3710/747d558f3d/pando.example.org/2"

    /// Drawn by the C library, called from another language.
    static let pando = """
        █▀▀▀▀▀█   ▀ █ █▀▀▀▀▀█
        █ ███ █ ▀ ▀ ▄ █ ███ █
        █ ▀▀▀ █  █▄█▀ █ ▀▀▀ █
        ▀▀▀▀▀▀▀ █ █ ▀ ▀▀▀▀▀▀▀
        █▀█ ▀▀▀██ ▀▄▀█▀▄ ▄█ ▄
        █▄▀▄▀▄▀▄▄▄ █▄█▀█▄▄▀█▄
         ▀▀▀▀ ▀ ▄██▀ ▀█▀ █ █▀
        █▀▀▀▀▀█ █▀█ ▀ ▄ ▀ ██▄
        █ ███ █ ▀▄█▄▀▄▀▄▀▄▀▄▀
        █ ▀▀▀ █ ██▀█▄█▀█▄▄▀▄█
        ▀▀▀▀▀▀▀ ▀▀ ▀ ▀▀▀  ▀ ▀
        """

    /// The picture with its quiet zone, one character a module.
    static func rows(_ code: QRCode) -> [[Bool]] {
        (0..<code.side).map { y in (0..<code.side).map { code.isDark($0, y) } }
    }

    @Test("the terminal shows the code in black on white with its quiet zone, line by line")
    func terminal() throws {
        let lines = try QRCode("PANDO").terminal.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = "\u{1B}[38;5;16;48;5;231m", end = "\u{1B}[0m", blank = String(repeating: " ", count: 29)

        let drawn: [String] = Self.pando.split(separator: "\n").map { "    \($0)    " }
        var expected: [String] = [blank, blank] + drawn + [blank, blank]
        expected = expected.map { begin + $0 + end }
        #expect(lines.last == "" && lines.dropLast().map(String.init) == expected)
    }

    @Test("the PNG is the same code, 5 pixels a module")
    func png() throws {
        for text in ["PANDO", Self.link, String(repeating: "x", count: 2_953)] {
            let code = try QRCode(text), picture = try PNGReader(code.png)
            let rows = Self.rows(code)

            #expect(picture.width == code.side * 5 && picture.height == code.side * 5)
            #expect(
                picture.pixels.indices.allSatisfy { y in
                    picture.pixels[y].indices.allSatisfy { x in picture.pixels[y][x] == rows[y / 5][x / 5] }
                })
        }
    }

    @Test("the SVG is the same code on a white ground, a unit a module")
    func svg() throws {
        let code = try QRCode(Self.link), side = code.side
        let drawing = Markup(code.svg)
        var rows = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
        for match in code.path.matches(of: #/M(\d+) (\d+)h(\d+)v1h-(\d+)z/#) {
            let (x, y, length) = (try #require(Int(match.1)), try #require(Int(match.2)), try #require(Int(match.3)))
            #expect(match.3 == match.4)
            for column in x..<x + length { rows[y][column] = true }
        }

        #expect(rows == Self.rows(code))
        #expect(code.path.replacing(#/M\d+ \d+h\d+v1h-\d+z/#, with: "") == "")
        #expect(drawing.rubbish == [] && drawing.all("svg").first?.attributes["viewBox"] == "0 0 \(side) \(side)")
        #expect(drawing.all("path").map { $0.attributes["fill"] } == ["#fff", "#000"])
        #expect(drawing.all("path").map { $0.attributes["d"] } == ["M0 0h\(side)v\(side)h-\(side)z", code.path])
        #expect(drawing.all("svg").first?.attributes["xmlns"] == "http://www.w3.org/2000/svg")
    }

    @Test(
        "a code is as large as it must be",
        arguments: [("PANDO", 21), (QRCodeTests.link, 37), (String(repeating: "x", count: 2_953), 177)])
    func size(text: String, width: Int) throws {
        let code = try QRCode(text), rows = Self.rows(code)

        #expect(code.width == width && code.side == width + 8)
        // Light for 4 modules on each side, and the corner of a finder pattern right behind.
        #expect(!rows.prefix(4).joined().contains(true) && !rows.suffix(4).joined().contains(true))
        #expect(rows.allSatisfy { !$0.prefix(4).contains(true) && !$0.suffix(4).contains(true) })
        #expect(rows[4][4] && rows[4][width + 3] && rows[width + 3][4])
        #expect(!code.isDark(-1, 4) && !code.isDark(4, -1) && !code.isDark(width + 8, 4))
    }

    @Test("another text is another code, in capitals too")
    func differs() throws {
        let codes = try ["tiqrauth://a", "tiqrauth://b", "TIQRAUTH://A"].map { text in Self.rows(try QRCode(text)) }

        #expect(Set(codes).count == 3)
    }

    @Test(
        "nothing, a NUL and what no code holds are refused",
        arguments: [
            ("", QRCode.Refusal.notText), ("a\0b", .notText), (String(repeating: "x", count: 2_954), .tooLong),
            (String(repeating: "ü", count: 1_477), .tooLong),
        ] as [(String, QRCode.Refusal)])
    func refusals(text: String, refusal: QRCode.Refusal) {
        #expect(throws: refusal) { try QRCode(text) }
    }
}
