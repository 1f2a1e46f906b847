import Testing
import Vocabulary

@Suite("RSD2 links")
struct RSDLinkTests {
    @Test(
        "a link is absolute when :// comes before any other colon or slash",
        arguments: [
            ("http://example.com/", true), ("custom+scheme://x", true), ("//host/path", false), ("/path", false),
            ("path://", true),
            ("a/b://c", false), ("a:b://c", false), ("://x", false), ("", false), ("mailto:x@y", false),
        ])
    func absolute(link: String, expected: Bool) {
        #expect(RSDLink.isAbsolute(link) == expected)
    }

    @Test(
        "parts are concatenated with exactly one slash between, and an empty part adds nothing",
        arguments: [
            ("http://example.com", "service/", "http://example.com/service/"),
            ("http://example.com/service/", "api/", "http://example.com/service/api/"),
            ("http://example.com/a", "/b", "http://example.com/a/b"),
            ("http://example.com/a/", "/b", "http://example.com/a/b"),
            ("http://example.com/a", "", "http://example.com/a"),
            ("http://example.com/a/", "../b", "http://example.com/a/../b"),
        ])
    func joined(base: String, part: String, expected: String) {
        #expect(RSDLink.joined(base, part) == expected)
    }

    @Test("the specification's example: http://example.com, service/, api/")
    func levels() {
        let engine = RSDLink.expanded("service/", on: "http://example.com")

        #expect(RSDLink.expanded("api/", on: engine) == "http://example.com/service/api/")
        #expect(RSDLink.expanded("https://other.example/x", on: engine) == "https://other.example/x")
    }

    @Test(
        "only http and https links with a host, without user information, and of bounded length are usable",
        arguments: [
            ("https://example.org/x", true), ("HTTP://example.org", true), ("javascript://x/%0aalert(1)", false),
            ("file:///etc/passwd", false),
            ("https://user:pw@example.org/", false), ("https:///x", false), ("https://:80/", false), ("/x", false),
            ("https://a b/", false),
            ("https://evil.example\\@good.example/", false), ("https://x/\u{7}", false), ("https://x/?q=a@b", true),
        ])
    func usable(link: String, expected: Bool) {
        #expect(RSDLink.isUsable(link) == expected)
    }

    @Test("2,048 characters are usable, one more is not")
    func longest() {
        let head = "https://x/"

        #expect(RSDLink.isUsable(head + String(repeating: "a", count: 2_048 - head.count)))
        #expect(!RSDLink.isUsable(head + String(repeating: "a", count: 2_049 - head.count)))
    }
}
