import Testing

@testable import Crawler

@Suite("What no document may contain")
struct DocumentLimitTests {
    @Test(
        "any document type declaration is refused, before anything of it is read",
        arguments: [
            "<!DOCTYPE rsd [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE rsd SYSTEM \"http://127.0.0.1:9/rsd.dtd\">", "<!doctype rsd>",
            "<!-- x --><!DOCTYPE rsd [<!ENTITY l0 \"lol\"><!ENTITY l1 \"&l0;&l0;\">]>", "<!DOCTYPE rsd [",
        ])
    func doctype(declaration: String) {
        #expect(
            Documents.refusal(
                Documents.rsd2("", service: "<engineName>&x;</engineName>").replacing(
                    "<rsd", with: declaration + "<rsd")) == .doctype)
    }

    @Test("a DOCTYPE inside a comment or CDATA is text")
    func quoted() throws {
        #expect(
            try Documents.read(
                Documents.rsd2("<!-- <!DOCTYPE rsd> -->", service: "<engineName><![CDATA[<!DOCTYPE x>]]></engineName>")
            ).document.engineName == "<!DOCTYPE x>")
    }

    @Test("an undefined entity is not expanded: its ampersand is text")
    func entity() throws {
        let read = try Documents.read(Documents.rsd2(Documents.weblog, service: "<engineName>&x;</engineName>"))

        #expect(read.document.engineName == "&x;")
        #expect(read.warningNames == ["bare_ampersand"])
    }

    @Test("depth: XML and JSON, within libxml2's own limit and beyond", arguments: [33, 300, 20_000])
    func depth(levels: Int) {
        let open = String(repeating: "<a>", count: levels), close = String(repeating: "</a>", count: levels)
        let objects = String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels)

        #expect(Documents.refusal(Documents.rsd2(open + close)) == .limits)
        #expect(Documents.refusal("{\"apis\":{\"a.b\":{\"apiLink\":\"o\",\"settings\":\(objects)}}}") == .limits)
    }

    @Test("200 apis are read, 201 are not")
    func apis() throws {
        let json = { (count: Int) in
            "{\"apis\":{" + (0..<count).map { "\"a.p\($0)\":{\"apiLink\":\"p\"}" }.joined(separator: ",") + "}}"
        }
        let xml = { (count: Int) in
            Documents.rsd2((0..<count).map { "<api name=\"a.p\($0)\" apiLink=\"p\"/>" }.joined())
        }

        #expect(try Documents.read(json(200)).document.apis.count == 200)
        #expect(try Documents.read(xml(200)).document.apis.count == 200)
        #expect(Documents.refusal(json(201)) == .limits)
        #expect(Documents.refusal(xml(201)) == .limits)
    }

    @Test("strings of 8 KiB are read, longer ones are not")
    func strings() throws {
        let fits = String(repeating: "b", count: 8 << 10)
        let xml = { (id: String) in
            Documents.rsd1("<api name=\"MetaWeblog\" apiLink=\"https://x.example/\" blogID=\"\(id)\"/>")
        }
        let json = { (note: String) in "{\"apis\":{\"a.b\":{\"apiLink\":\"b\",\"notes\":\"\(note)\"}}}" }

        #expect(try Documents.read(xml(fits)).document.apis.count == 1)
        #expect(Documents.refusal(xml(fits + "b")) == .limits)
        #expect(try Documents.read(json(fits)).document.apis.first?.notes?.count == 8 << 10)
        #expect(Documents.refusal(json(fits + "b")) == .limits)
        #expect(
            Documents.refusal(Documents.rsd2("<api name=\"a.b\"><apiLink>b</apiLink><notes>\(fits)b</notes></api>"))
                == .limits)
    }

    @Test("20,000 nodes are too many")
    func nodes() {
        #expect(Documents.refusal(Documents.rsd2(String(repeating: "<x/>", count: 20_000))) == .limits)
        #expect(Documents.refusal("{\"apis\":{},\"x\":[" + String(repeating: "0,", count: 20_000) + "0]}") == .limits)
    }

    @Test("256 attributes of a tag are read, 257 are not, whole or cut off")
    func attributes() throws {
        let api = { (count: Int) in
            "<api name=\"a.b\" apiLink=\"b\" " + (2..<count).map { "x\($0)=\"1\"" }.joined(separator: " ") + "/>"
        }

        #expect(try Documents.read(Documents.rsd2(api(256))).protocols == ["a.b"])
        #expect(Documents.refusal(Documents.rsd2(api(257))) == .limits)
        #expect(Documents.refusal("<!-- <rsd> --> <rsd><service><apis>" + String(api(300).dropLast(2))) == .limits)
    }

    @Test("500 settings are read, 501 are not")
    func settings() throws {
        let json = { (count: Int) in
            "{\"apis\":{\"a.b\":{\"apiLink\":\"b\",\"settings\":{"
                + (0..<count).map { "\"s\($0)\":1" }.joined(separator: ",") + "}}}}"
        }
        let xml = { (count: Int) in
            Documents.rsd2(
                "<api name=\"a.b\" apiLink=\"b\"><settings>"
                    + (0..<count).map { "<setting name=\"s\($0)\">1</setting>" }.joined() + "</settings></api>")
        }

        #expect(try Documents.read(json(500)).document.apis.first?.settings.names.count == 500)
        #expect(try Documents.read(xml(500)).document.apis.first?.settings.names.count == 500)
        #expect(Documents.refusal(json(501)) == .limits)
        #expect(Documents.refusal(xml(501)) == .limits)
    }

    @Test("text around elements counts as text: its length, and nothing of what is in them")
    func mixed() throws {
        let notes = { (text: String) in
            Documents.rsd2("<api name=\"a.b\"><apiLink>b</apiLink><notes><x>inner</x>\(text)</notes></api>")
        }

        #expect(try Documents.read(notes("own")).document.apis.first?.notes == "own")
        #expect(Documents.refusal(notes(String(repeating: "b", count: (8 << 10) + 1))) == .limits)
    }

    @Test("authorization among settings is not kept, in any case")
    func authorization() throws {
        let setting =
            "<settings><setting name=\"Authorization\">leak</setting><setting name=\"k\">1</setting></settings>"

        #expect(
            try Documents.read(Documents.rsd2("<api name=\"a.b\" apiLink=\"b\">\(setting)</api>")).document.apis.first?
                .settings == ["k": "1"])
    }

    @Test(
        "docs is a link that apps may be given, or nothing",
        arguments: [
            ("https://d.example/x", "https://d.example/x"), ("javascript:alert(1)", nil), ("docs/", nil),
            ("https://a@d.example/", nil),
        ])
    func docs(written: String, kept: String?) throws {
        #expect(
            try Documents.read("{\"apis\":{\"a.b\":{\"apiLink\":\"b\",\"docs\":\"\(written)\"}}}").document.apis.first?
                .docs == kept)
    }

    @Test("only the first XML declaration names the encoding")
    func declaration() {
        #expect(
            Documents.refusal("<?xml version=\"1.0\" encoding=\"klingon\"?>" + Documents.rsd1(Documents.weblog))
                == .encoding)
        #expect(BodyEncoding.page(Array("x".utf8), charset: nil) == Array("x".utf8))
    }

    @Test("what turns the direction of text or ends a line is not told")
    func shown() {
        #expect(CrawlFailure(.dns, "a\u{202E}b\u{2028}c\u{1B}d").detail == "a b c d")
    }

    @Test("NUL is refused")
    func nul() {
        #expect(Documents.refusal(Array(Documents.rsd1(Documents.weblog).utf8) + [0]) == .encoding)
    }
}
