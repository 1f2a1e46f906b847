import Testing
import Vocabulary

@testable import Crawler

@Suite("RSD 1.0 and older")
struct RSD1Tests {
    @Test("WordPress: no newline after the declaration, five apis, one preferred")
    func wordPress() throws {
        let apis = ["WordPress", "Movable Type", "MetaWeblog", "Blogger"].map {
            """
            <api name=\"\($0)\" blogID=\"1\" preferred=\"\($0 == "WordPress")\" \
            apiLink=\"https://site.example/xmlrpc.php\" />
            """
        }
        let read = try Documents.read(
            Documents.rsd1(
                apis.joined(separator: "\n\t\t")
                    + """
                    <api name=\"WP-API\" blogID=\"1\" preferred=\"false\" \
                    apiLink=\"https://site.example/wp-json/\" />
                    """
            ))

        #expect(read.document.apis.map(\.name) == ["WordPress", "Movable Type", "MetaWeblog", "Blogger", "WP-API"])
        #expect(read.document.apis.map(\.preferred) == [true, false, false, false, false])
        #expect(read.document.apis[0].engineID == "1")
        #expect(read.document.api(named: "org.wordpress.rest")?.link == "https://site.example/wp-json/")
        #expect(read.warnings == [])
    }

    @Test("MediaWiki: settings, docs and notes, an empty blogID")
    func mediaWiki() throws {
        let api = try #require(
            try Documents.read(
                Documents.rsd1(
                    """
                    <api name="MediaWiki" preferred="true" apiLink="https://site.example/w/api.php" \
                    blogID=""><settings><docs>https://docs.example/api</docs>
                    <notes>Wiki API</notes><setting name="OAuth">false</setting></settings></api>
                    """)
            ).document.apis.first)

        #expect(api.docs == "https://docs.example/api" && api.notes == "Wiki API" && api.settings == ["OAuth": "false"])
        #expect(api.engineID == "")
    }

    @Test("version 0.6 with rpcLink; blogID and homePageLink missing")
    func older() throws {
        let read = try Documents.read(
            Documents.rsd1(
                "<api name=\"MetaWeblog\" preferred=\"true\" rpcLink=\"https://site.example/RPC2\"/>", version: "0.6",
                home: ""))

        #expect(read.document.apis.first?.link == "https://site.example/RPC2")
        #expect(read.document.apis.first?.engineID == nil)
        #expect(read.document.homePageLink == Documents.base)
    }

    @Test(
        "relative links are RFC 3986 against an absolute homePageLink, else against the document's URL",
        arguments: [
            ("<homePageLink>https://home.example/a/b/</homePageLink>", "../x", "https://home.example/a/x"),
            ("<homePageLink>/</homePageLink>", "../x", "https://site.example/x"),
            ("", "x?y=1", "https://site.example/docs/x?y=1"),
            ("", "//other.example/x", "https://other.example/x"), ("", " /RPC\n ", "https://site.example/RPC"),
        ])
    func relative(home: String, link: String, expected: String) throws {
        #expect(
            try Documents.links(Documents.rsd1("<api name=\"MetaWeblog\" apiLink=\"\(link)\"/>", home: home)) == [
                "MetaWeblog": expected
            ])
    }

    @Test("an api without link is dropped")
    func linkless() throws {
        let read = try Documents.read(Documents.rsd1("<api name=\"Blogger\"/>" + Documents.weblog))

        #expect(read.protocols == ["MetaWeblog"])
        #expect(read.warningNames == ["bad_link"])
    }

    @Test("of two with one folded name the first wins, of several preferred the first stays")
    func twice() throws {
        let read = try Documents.read(
            Documents.rsd1(
                Documents.weblog
                    + """
                    <api name=\"meta-weblog\" preferred=\"true\" apiLink=\"https://site.example/2\"/><api \
                    name=\"Blogger\" preferred=\"True\" apiLink=\"https://site.example/b\"/>
                    """
            ))

        #expect(read.document.apis.map(\.name) == ["MetaWeblog", "Blogger"])
        #expect(read.document.apis.map(\.preferred) == [true, false])
        #expect(read.warningNames == ["duplicate_api", "several_preferred"])
    }

    @Test("numeric and predefined references are read")
    func references() throws {
        #expect(
            try Documents.links(
                Documents.rsd1("<api name=\"Blogger\" apiLink=\"https://site.example/x?a=1&#038;b=2&amp;c=3\"/>"))
                == ["Blogger": "https://site.example/x?a=1&b=2&c=3"])
    }
}
