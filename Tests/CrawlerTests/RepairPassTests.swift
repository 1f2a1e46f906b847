import Testing

@testable import Crawler

@Suite("The repair pass")
struct RepairPassTests {
    private let good = Documents.rsd1(Documents.weblog)

    @Test("a well-formed document needs none")
    func none() throws {
        #expect(try Documents.read(good).isDegraded == false)
        #expect(try Documents.read(good + "<!-- 31 queries -->\n").warnings == [])
    }

    @Test("bytes before the prolog", arguments: ["\r\n\r\n  ", "<br />\n<b>Warning</b>: x in <b>y</b><br />\n"])
    func leading(junk: String) throws {
        let read = try Documents.read(junk + good)

        #expect(read.warningNames == ["leading_bytes"] && read.isDegraded)
        #expect(read.protocols == ["MetaWeblog"])
    }

    @Test("an empty list of apis is said whatever was repaired")
    func empty() throws {
        #expect(try Documents.read("x\n" + Documents.rsd2("")).warningNames == ["leading_bytes", "no_apis"])
    }

    @Test("bytes after the root")
    func trailing() throws {
        #expect(
            try Documents.read(good + "<!-- 0.2 s --><script>a && b</script>").warningNames == [
                "bare_ampersand", "trailing_bytes",
            ])
        #expect(try Documents.read(good + "garbage").warningNames == ["trailing_bytes"])
    }

    @Test(
        "missing end tags",
        arguments: [
            "</ap", "", "</apis></service>", "<api name=\"Blogger\" apiLink=\"https://x.exa",
            "<api name=\"Blogger\" apiLink=\"https://x/\"><settings><docs>x</docs>", "<!-- never",
        ])
    func truncated(rest: String) throws {
        let head = try #require(good.components(separatedBy: "</apis>").first)
        let read = try Documents.read(head + rest)

        #expect(read.warningNames == ["truncated"])
        #expect(read.protocols == ["MetaWeblog"])
    }

    @Test("a document cut before its first api ended is malformed")
    func cutEarly() {
        #expect(Documents.refusal(String(good.prefix(240))) == .malformed)
        #expect(Documents.refusal("<rsd version=\"1.0\"><service><apis>") == .malformed)
    }

    @Test("bare ampersands, but not those in CDATA, comments and references")
    func ampersands() throws {
        let read = try Documents.read(
            Documents.rsd1(
                "<!-- a & b --><api name=\"MetaWeblog\" apiLink=\"https://x.example/?a=1&blog=2&c&amp;d&#38;e&nbsp;\"/>"
            ))

        #expect(read.document.apis.first?.link == "https://x.example/?a=1&blog=2&c&d&e&nbsp;")
        #expect(read.warningNames == ["bare_ampersand"])
    }

    @Test("an undecodable body is taken for windows-1252")
    func guessed() throws {
        let body = Array(good.replacing("Weblog</engineName>", with: "B#cher#</engineName>").utf8).map {
            $0 == 0x23 ? UInt8(0xFC) : $0
        }

        #expect(try Documents.read(body).document.engineName == "Bücherü")
        #expect(try Documents.read(body).warningNames == ["encoding"])
    }

    @Test(
        "everything else is malformed",
        arguments: ["<x>", "<a></b>", "<api name=\"x\" name=\"y\"/>", "<api name=x/>", "\u{1}", "<"])
    func malformed(junk: String) {
        #expect(Documents.refusal(Documents.rsd1(junk + Documents.weblog)) == .malformed)
    }

    @Test(
        "pages and other XML are not RSD",
        arguments: [
            "<!doctype html><title>x</title>", "<?xml version=\"1.0\"?>\n<!-- x --><html><body><rsd/></body></html>",
            "<p>Hello</p>", "", "plain",
            "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel/></rss>", "<?xml version=\"1.0\"?><rss>",
            "<div><html><rsd version=\"1.0\"><apis/></rsd>",
        ])
    func others(text: String) {
        #expect(Documents.refusal(text) == .notRSD)
    }
}
