import Base
import Testing

@Suite("application/x-www-form-urlencoded")
struct FormCodecTests {
    private func read(_ text: String) throws -> [String: String] { try FormCodec.read(Array(text.utf8)) }

    @Test("RFC 6749, appendix B: the printed example")
    func example() throws {
        #expect(FormCodec.write([("text", " %&+£€")]) == "text=%20%25%26%2B%C2%A3%E2%82%AC")
        #expect(try read("text=+%25%26%2B%C2%A3%E2%82%AC") == ["text": " %&+£€"])
    }

    @Test(
        "what is read",
        arguments: [
            ("", [:]), ("a=1&b=2", ["a": "1", "b": "2"]), ("a", ["a": ""]), ("a=", ["a": ""]), ("a=b=c", ["a": "b=c"]),
            ("&&a=1&", ["a": "1"]), ("=1", ["": "1"]),
            ("%61%3d=%26", ["a=": "&"]), ("a=%c3%A9", ["a": "é"]), ("a+b=c+d", ["a b": "c d"]),
        ] as [(String, [String: String])])
    func pairs(_ text: String, _ form: [String: String]) throws {
        #expect(try read(text) == form)
    }

    @Test("as pairs, all of it comes in its order, a name twice too")
    func pairs() throws {
        let pairs = try FormCodec.pairs(Array("b=1&a=%20&b=&c".utf8))

        #expect(pairs.map(\.name) == ["b", "a", "b", "c"] && pairs.map(\.value) == ["1", " ", "", ""])
        #expect(throws: FormCodec.Malformed.badEncoding) { try FormCodec.pairs(Array("a=1&b=%".utf8)) }
        #expect(throws: FormCodec.Malformed.nulByte) { try FormCodec.pairs(Array("a=%00".utf8)) }
    }

    @Test("a parameter twice is refused, however it is spelled", arguments: ["a=1&a=1", "a&a", "a=1&b=2&%61=3"])
    func duplicates(_ text: String) {
        #expect(throws: FormCodec.Malformed.duplicate("a")) { try read(text) }
    }

    @Test(
        "bad percent encoding and bad UTF-8 are refused",
        arguments: ["a=%", "a=%4", "a=%4G", "a=%G4", "%=1", "a=%FF", "a=%C3", "a=%C3%28", "a=%ED%A0%80", "a=%C0%80"])
    func encoding(_ text: String) {
        #expect(throws: FormCodec.Malformed.badEncoding) { try read(text) }
    }

    @Test("raw bytes that are not UTF-8 are refused")
    func rawBytes() {
        #expect(throws: FormCodec.Malformed.badEncoding) { try FormCodec.read(Array("a=".utf8) + [0xFF]) }
    }

    @Test("NUL is refused, raw and encoded, in names and values", arguments: ["a=%00", "a=b%00c", "%00=1", "a=\0"])
    func nul(_ text: String) {
        #expect(throws: FormCodec.Malformed.nulByte) { try read(text) }
    }

    @Test("one value alone: ampersand and equals sign are letters there")
    func value() throws {
        #expect(try FormCodec.decode(Array("a&b=c+%26\u{301}".utf8)) == "a&b=c &\u{301}")
        #expect(throws: FormCodec.Malformed.badEncoding) { try FormCodec.decode(Array("%A9".utf8)) }
        #expect(throws: FormCodec.Malformed.nulByte) { try FormCodec.decode(Array("%00".utf8)) }
    }

    @Test("what is written is read back the same")
    func roundTrip() throws {
        let pairs = [("a b", "c+d"), ("ü", "=&%"), ("empty", ""), ("-._~", "~_.-"), ("𝄞", "\n\r")]

        #expect(try read(FormCodec.write(pairs)) == Dictionary(uniqueKeysWithValues: pairs))
    }
}
