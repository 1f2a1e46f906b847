import Testing

@testable import Crawler

@Suite("Links of a page")
struct HTMLLinksTests {
    private func hrefs(_ html: String) -> [String] {
        FoundLink.candidates(HTMLLinks(Array(html.utf8)).links).map(\.href)
    }
    private func page(_ head: String, _ body: String = "") -> String {
        "<!DOCTYPE html><html><head><title>x</title>\(head)</head><body>\(body)</body></html>"
    }

    @Test(
        "quotes or none, any order and case, void or closed, in head or body",
        arguments: [
            "<link href='/rsd' title='RSD' rel='ServiceAPI'>",
            "<link rel=ServiceAPI type=application/x-rsd+xml href=/rsd>",
            "<LINK REL=\"alternate SERVICEAPI\" HREF=\"/rsd\" TYPE=\"X\"/>",
            "<link rel=\"\nserviceapi\t\" href=\"/rsd\"></link>",
        ])
    func shapes(link: String) {
        #expect(hrefs(page(link)) == ["/rsd"])
        #expect(hrefs(page("", "<p>x<div>" + link)) == ["/rsd"])
        #expect(hrefs(link) == ["/rsd"])
    }

    @Test(
        "nothing inside comments, script, style, template and textarea",
        arguments: [
            "<!-- # -->", "<!--[if IE]>#<![endif]-->", "<script>document.write('#')</script>", "<style>#</style>",
            "<template><div>#</div></template>", "<textarea>#</textarea>",
            "<script type=\"text/template\">#</script>",
        ])
    func hidden(wrapper: String) {
        let inner = wrapper.replacing("#", with: "<link rel=\"ServiceAPI\" href=\"/wrong\">")

        #expect(hrefs(page(inner + "<link rel=\"ServiceAPI\" href=\"/rsd\">")) == ["/rsd"])
        #expect(hrefs(page("", inner + "<link rel=\"ServiceAPI\" href=\"/rsd\">")) == ["/rsd"])
    }

    @Test(
        "a foreign end tag ends no textarea or template, and text elements hold no markup",
        arguments: [
            "<form><textarea></form>#</textarea>", "<div><template></div>#</template>",
            "<template><template></template>#</template>", "<title>#</title>",
            "<noscript>#</noscript>", "<iframe>#</iframe>", "<xmp>#</xmp>", "<noembed>#</noembed>",
            "<TEXTAREA></textareas>#</TextArea >", "<textarea title='>'>#</textarea>",
        ])
    func texts(wrapper: String) {
        let inner = wrapper.replacing("#", with: "<link rel=\"ServiceAPI\" href=\"/wrong\">"),
            right = "<link rel=\"ServiceAPI\" href=\"/rsd\">"

        #expect(hrefs(page("", inner + right)) == ["/rsd"])
        #expect(hrefs(page(right, "<!-- <textarea> --><plaintext>" + inner)) == ["/rsd"])
    }

    @Test("a tag of 256 attributes is read, a page with more has no links")
    func attributes() {
        let link = "<link rel=ServiceAPI href=/rsd>"
        let tag = { (count: Int, value: String) in
            "<p " + (0..<count).map { "a\($0)\(value)" }.joined(separator: " ") + ">"
        }

        #expect(hrefs(page(link, tag(256, "=\"1\""))) == ["/rsd"])
        #expect(hrefs(page(link, tag(257, "=\"1\""))) == [])
        #expect(hrefs(page(link, tag(257, ""))) == [])
        #expect(
            hrefs(
                page(
                    link,
                    """
                    <p title=\"\(String(repeating: "a=1 ", count: 400))\"><script>for (i=0; i<n; i++) \
                    \(String(repeating: "a = 1; ", count: 400))</script>
                    """
                )) == ["/rsd"])
    }

    @Test("ServiceAPI before EditURI, each in document order, YAML last, at most five")
    func order() {
        let links = ["EditURI:/e1", "ServiceAPI:/s1", "ServiceAPI:/s2", "EditURI:/e2"].map { entry in
            let parts = entry.split(separator: ":")
            return "<link rel=\"\(parts[0])\" href=\"\(parts[1])\">"
        }

        #expect(
            hrefs(page(links.joined() + "<link rel=ServiceAPI type=application/x-rsd+YAML href=/y>")) == [
                "/s1", "/s2", "/e1", "/e2", "/y",
            ])
        #expect(hrefs(page(String(repeating: links[0], count: 9))).count == 5)
        #expect(hrefs(page("<link rel=stylesheet href=/x><link rel=ServiceAPI>")) == [])
    }

    @Test("the first base href counts; entities in attributes are read")
    func base() {
        let links = HTMLLinks(
            Array(
                page(
                    """
                    <base target=x><base href=\" /deep/ \"><base href=\"/other/\"><link rel=ServiceAPI \
                    href=\"x?a=1&amp;b=2\">
                    """
                ).utf8))

        #expect(links.base == "/deep/")
        #expect(links.links.map(\.href) == ["x?a=1&b=2"])
    }

    @Test("pages that nest without end, are empty, or are cut do no harm")
    func odd() {
        #expect(hrefs("<link rel=ServiceAPI href=/rsd>" + String(repeating: "<div>", count: 50_000)) == ["/rsd"])
        #expect(hrefs("") == [])
        #expect(hrefs("<link rel=ServiceAPI href=/rsd><p title=\"") == ["/rsd"])
    }
}

@Suite("RFC 8288 Link headers")
struct LinkHeaderTests {
    @Test(
        "several in one header, quoted or not, only the first rel",
        arguments: [
            ("</a>; rel=\"ServiceAPI\"", ["/a"]),
            ("</a>;rel=serviceapi;type=\"application/x-rsd+yaml\", </b>; rel=ServiceAPI", ["/b", "/a"]),
            (
                "<https://x.example/a,b;c>; title=\"a, <b>; \\\"q\\\"\"; rel=\"next ServiceAPI\"",
                ["https://x.example/a,b;c"]
            ),
            ("</a>; rel=next; rel=ServiceAPI", []), ("</a>; rel=EditURI, </b>; rel=ServiceAPI", ["/b", "/a"]),
            ("</a>; rel=ServiceAPI; anchor=\"/other\"", []),
            ("</a>; title=\"x; rel=ServiceAPI\"\u{301}; rel=next, </b>; rel=ServiceAPI", ["/b"]), ("</a>", []),
            ("rubbish", []), ("</a>; ; rel = ServiceAPI", ["/a"]), ("<unclosed", []),
        ])
    func parsing(header: String, expected: [String]) {
        #expect(FoundLink.candidates(LinkHeader.links([header])).map(\.href) == expected)
    }
}

@Suite("services.txt")
struct ServicesTextTests {
    @Test(
        "type; uri, blanks optional, LF or CRLF, BOM, comments and other lines passed over, YAML last",
        arguments: [
            ("application/x-rsd+json; /d/rsd.json\n", ["/d/rsd.json"]),
            ("application/rsd+xml;https://x.example/rsd", ["https://x.example/rsd"]),
            ("\u{FEFF}# comment; /x\r\n  application/x-rsd+yaml; /y\r\napplication/json ;  /j  \r\n", ["/j", "/y"]),
            ("hello\nsee: below\na;b\napplication/json;\n", []),
        ])
    func lines(text: String, expected: [String]) {
        #expect(ServicesText(Array(text.utf8)).uris == expected)
    }

    @Test("a combining mark changes no sign before it")
    func marks() {
        #expect(
            ServicesText(Array("#\u{301} application/json; /x\napplication/json;\u{301}/y".utf8)).uris == ["\u{301}/y"])
    }

    @Test("ttl in seconds")
    func ttl() {
        #expect(ServicesText(Array("TTL: 3600\napplication/json; /x\nttl: 5".utf8)).ttl == 3_600)
        #expect(ServicesText(Array("ttl: soon".utf8)).ttl == nil)
    }

    @Test("at most five")
    func five() {
        #expect(ServicesText(Array(String(repeating: "application/json; /x\n", count: 9).utf8)).uris.count == 5)
    }
}
