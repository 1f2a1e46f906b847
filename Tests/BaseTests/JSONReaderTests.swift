import Base
import Testing

@Suite("RFC 8259 JSON, read strictly")
struct JSONReaderTests {
    private func read(_ text: String, depth: Int = 32) throws -> JSONValue {
        try JSONReader.read(Array(text.utf8), depth: depth)
    }

    @Test(
        "values of every kind",
        arguments: [
            ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("-12", .integer(-12)), ("[]", .array([])),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("1.5", .number(1.5)),
            ("1e2", .number(100)), ("1E-2", .number(0.01)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("\"\"", .string("")), ("{}", .object([:])),
            ("\t\r\n[ 1 , [ ] ]", .array([.integer(1), .array([])])),
        ])
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try read(text) == value)
    }

    @Test(
        "escapes of strings",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9""#, "é"), (#""\uD834\uDD1E""#, "𝄞"),
            ("\"𝄞é\"", "𝄞é"), (#""\u0041\u004a""#, "AJ"), ("\"\u{7F}\"", "\u{7F}"),
        ])
    func strings(_ text: String, _ value: String) throws {
        #expect(try read(text) == .string(value))
    }

    @Test(
        "numbers that RFC 8259 does not know",
        arguments: [
            "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "1e999", "1_000", "--1",
            "-01", "1.5.2",
        ])
    func numbers(_ text: String) {
        #expect(throws: JSONReader.Malformed.self) { try read(text) }
    }

    @Test(
        "broken syntax",
        arguments: [
            "", " ", "{", "[", "\"", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{1:1}", "{'a':1}", "tru", "True", "nul", "'a'", "\"\\x\"", "\"\\u12\"",
            "\"\\u12G4\"", "\"a\nb\"", "\"tab\there\"", "// no\n1", "\u{FEFF}1", "[1]]", "1 2", "{} x", "\"\\u+123\"",
        ])
    func syntax(_ text: String) {
        #expect(throws: JSONReader.Malformed.self) { try read(text) }
    }

    @Test(
        "a member twice is refused, however it is spelled and however deep",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":1}"#, #"[{"x":{"a":1,"a":2}}]"#,
        ])
    func duplicates(_ text: String) {
        #expect(throws: JSONReader.Malformed.duplicate("a")) { try read(text) }
    }

    @Test("the same name in two objects, or in another case, is no duplicate")
    func notDuplicates() throws {
        #expect(try read(#"{"a":{"a":1},"A":2,"":3}"#).object?.names == ["a", "A", ""])
    }

    @Test("NUL is refused in values and names", arguments: [#""\u0000""#, #""a\u0000b""#, #"{"\u0000":1}"#])
    func nul(_ text: String) {
        #expect(throws: JSONReader.Malformed.nulByte) { try read(text) }
    }

    @Test(
        "lone surrogates are refused",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
            #""\udc00\ud800""#,
        ])
    func surrogates(_ text: String) {
        #expect(throws: JSONReader.Malformed.badEncoding) { try read(text) }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [
            [0xFF], [0xC3, 0x28], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func encoding(_ bytes: [UInt8]) {
        #expect(throws: JSONReader.Malformed.badEncoding) {
            try JSONReader.read([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
        }
    }

    @Test("depth is bounded, breadth is not")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }

        #expect(try read(nested(32)).array != nil)
        #expect(throws: JSONReader.Malformed.tooDeep) { try read(nested(33)) }
        #expect(throws: JSONReader.Malformed.tooDeep) { try read(#"{"a":{"b":[]}}"#, depth: 2) }
        #expect(throws: JSONReader.Malformed.tooDeep) { try read(String(repeating: "[", count: 1_000_000)) }
        #expect(
            try read("[\(Array(repeating: "[]", count: 10_000).joined(separator: ","))]", depth: 2).array?.count
                == 10_000)
    }

    @Test("what is written is read back the same, and may stand in a page")
    func roundTrip() throws {
        let value: JSONValue = [
            "text": "\u{1}\"\\\n</script>\u{2028}é𝄞\u{7F}", "list": [1, -2, .number(1.5), true, nil, [:], []],
            "": ["deep": ["er": 0]],
        ]

        #expect(try read(value.text) == value)
        #expect(try read(value.prettyText) == value)
        #expect(!value.text.contains("<") && !value.text.contains("\u{2028}"))
        #expect(JSONValue.number(.infinity).text == "null")
    }

    @Test("an object keeps the order of its members; order does not make two objects different")
    func order() throws {
        let object = try #require(try read(#"{"b":1,"a":2}"#).object)

        #expect(object.names == ["b", "a"])
        #expect(object == ["a": 2, "b": 1])
        #expect(object != ["a": 2] && object != ["a": 2, "b": 2])
    }

    @Test("a list is of strings only when every item is one")
    func listOfStrings() throws {
        #expect(try read(#"["a","b"]"#).strings == ["a", "b"])
        #expect(try read("[]").strings == [])
        #expect(try read(#"["a",1]"#).strings == nil)
        #expect(try read(#""a""#).strings == nil)
    }
}
