import Testing

@testable import Crawler

@Suite("RFC 3986 references")
struct URIReferenceTests {
    @Test(
        "the examples of 5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/../x", "http://a/b/c/g"), ("https:g", "https:g"),
        ])
    func examples(reference: String, expected: String) {
        #expect(URIReference(reference).resolved(against: URIReference("http://a/b/c/d;p?q")).text == expected)
    }

    @Test("blanks at the ends are cut, inner ones encoded, line breaks and tabs dropped")
    func blanks() {
        #expect(URIReference("  /sitecore modules/x.ashx?a=b c ").text == "/sitecore%20modules/x.ashx?a=b%20c")
        #expect(URIReference("/a\n\tb").text == "/ab")
        #expect(URIReference("/ü\"").text == "/%C3%BC%22")
    }
}
