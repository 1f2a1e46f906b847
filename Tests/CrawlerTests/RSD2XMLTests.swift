import Testing
import Vocabulary

@testable import Crawler

@Suite("RSD2 in XML")
struct RSD2XMLTests {
    private let expected = [
        "org.ietf.oauth2": "https://site.example/campus/oauth2",
        "org.imsglobal.qti": "https://site.example/campus/qti/",
    ]
    private let attributes =
        """
        <api name=\"org.ietf.oauth2\" apiLink=\"oauth2\" preferred=\"true\"/><api name=\"org.imsglobal.qti\" \
        apiLink=\"qti/\"/>
        """

    @Test("attribute binding")
    func attributeBinding() throws {
        let read = try Documents.read(Documents.rsd2(attributes))

        #expect(Dictionary(uniqueKeysWithValues: read.document.apis.map { ($0.name, $0.link) }) == expected)
        #expect(read.document.apis.map(\.preferred) == [true, false])
        #expect(read.document.engineName == "Campus")
        #expect(read.document.engineLink == "https://site.example/campus/")
        #expect(read.warnings == [])
    }

    @Test("hierarchical binding, with blanks around values")
    func hierarchicalBinding() throws {
        let read = try Documents.read(
            Documents.rsd2(
                """
                <api name="org.ietf.oauth2"><preferred>Yes</preferred><apiLink> oauth2 </apiLink><engineId>7 \
                </engineId><transport>rest</transport>
                <transport>JSON-RPC</transport><docs> https://d.example/ </docs><settings><setting \
                name="a">1</setting></settings></api>
                <api name="org.imsglobal.qti"><apiLink>
                  qti/
                </apiLink></api>
                """))
        let first = try #require(read.document.apis.first)

        #expect(Dictionary(uniqueKeysWithValues: read.document.apis.map { ($0.name, $0.link) }) == expected)
        #expect(first.preferred && first.engineID == "7" && first.transport == ["REST", "JSON-RPC"])
        #expect(first.docs == "https://d.example/" && first.settings == ["a": "1"])
    }

    @Test("the first api decides the binding; one in the other is dropped")
    func mixed() throws {
        let read = try Documents.read(
            Documents.rsd2("<api name=\"a.b\" apiLink=\"b\"/><api name=\"a.c\"><apiLink>c</apiLink></api>"))

        #expect(read.protocols == ["a.b"])
        #expect(read.warningNames == ["mixed_binding"])
    }

    @Test(
        "namespaces do not matter: none, wrong, prefixed, reset on children, prefix never declared",
        arguments: [
            ("<rsd version=\"2.0\">", "", "</rsd>"),
            ("<rsd version=\"2.0\" xmlns=\"https://wrong.example/\">", "", "</rsd>"),
            ("<r:rsd version=\"2.0\" xmlns:r=\"http://github.com/rsd-spec/rsd\">", "r:", "</r:rsd>"),
            ("<RSD version=\"2.0\">", "", "</RSD>"), ("<r:rsd version=\"2.0\">", "r:", "</r:rsd>"),
        ])
    func namespaces(open: String, prefix: String, close: String) throws {
        let inner =
            "<\(prefix)service><\(prefix)homePageLink>https://site.example</\(prefix)homePageLink><\(prefix)apis>"
            + "<\(prefix)api name=\"a.b\" apiLink=\"b\"/></\(prefix)apis></\(prefix)service>"

        #expect(try Documents.links(open + inner + close) == ["a.b": "https://site.example/b"])
    }

    @Test("children outside the root's namespace count, those of a foreign one do not")
    func foreign() throws {
        let text = """
            <rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd" xmlns:w="http://foreign.example/"><service \
            xmlns=""><apis>
            <w:api name="a.foreign" apiLink="https://x.example/"/><api name="a.b" apiLink="https://x.example/b" \
            w:preferred="true"/></apis></service></rsd>
            """
        let read = try Documents.read(text)

        #expect(read.protocols == ["a.b"])
        #expect(read.document.apis.first?.preferred == false)
    }

    @Test("comments and processing instructions vanish, CDATA is text")
    func comments() throws {
        let links = try Documents.links(
            Documents.rsd2(
                """
                <!-- <api name="x.y" apiLink="b"/> --><?php echo 1 ?><api name="a.b"><apiLink>oau<!-- TODO \
                -->th2</apiLink></api>
                <api name="a.c"><apiLink><![CDATA[c?x=1&y=2]]></apiLink></api>
                """))

        #expect(links == ["a.b": "https://site.example/campus/oauth2", "a.c": "https://site.example/campus/c?x=1&y=2"])
    }

    @Test("element and attribute names in any case")
    func anyCase() throws {
        #expect(
            try Documents.links(
                """
                <RSD VERSION=\"2.0\"><SERVICE><HOMEPAGELINK>https://h.example</HOMEPAGELINK><APIS><Api Name=\"a.b\" \
                APILINK=\"b\"/></APIS></SERVICE></RSD>
                """
            )
                == ["a.b": "https://h.example/b"])
    }

    @Test("an empty list is a good document; no list is none")
    func empty() throws {
        #expect(try Documents.read(Documents.rsd2("")).warningNames == ["no_apis"])
        #expect(Documents.refusal("<rsd version=\"2.0\"><service></service></rsd>") == .notRSD)
    }

    @Test("what the vocabulary writes, this reads")
    func roundTrip() throws {
        let document = try Documents.read(Documents.rsd2(attributes)).document

        #expect(try Documents.read(document.xml).document == document)
    }

    @Test("a byte order mark, UTF-16 and the declared encoding are understood")
    func encodings() throws {
        let text = Documents.rsd2(attributes, service: "<engineName>Zürich €</engineName>").replacing(
            "UTF-8", with: "iso-8859-15")
        let latin9 = text.unicodeScalars.map { $0 == "€" ? 0xA4 : UInt8($0.value) }
        let utf16: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }

        #expect(try Documents.read(latin9).document.engineName == "Zürich €")
        #expect(try Documents.read(utf16).document.engineName == "Zürich €")
        #expect(try Documents.read([0xEF, 0xBB, 0xBF] + Array(text.utf8)).document.engineName == "Zürich €")
        #expect(try Documents.read(Array(text.utf8), charset: "utf-8").document.engineName == "Zürich €")
        #expect(Documents.refusal(latin9, charset: "koi8-r") == .encoding)
    }
}
