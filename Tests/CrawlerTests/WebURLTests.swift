import Testing

@testable import Crawler

@Suite("URLs that may be asked")
struct WebURLTests {
    private func reason(_ text: String) -> CrawlReason? {
        do throws(CrawlFailure) {
            _ = try WebURL(text)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        "are normalised",
        arguments: [
            ("HTTP://Example.ORG", "http://example.org/"), ("https://example.org:443/x?y#z", "https://example.org/x?y"),
            ("http://example.org:8080/", "http://example.org:8080/"),
            ("http://[2001:DB8:0::1]:8080/x", "http://[2001:db8::1]:8080/x"),
            ("http://127.0.0.1/", "http://127.0.0.1/"), ("http://example.org:/", "http://example.org/"),
        ])
    func normal(text: String, expected: String) throws {
        #expect(try WebURL(text).description == expected)
    }

    @Test(
        "other schemes, user information, ports and spellings of hosts are refused",
        arguments: [
            ("ftp://example.org/", CrawlReason.scheme), ("file:///etc/passwd", .scheme),
            ("javascript:alert(1)", .scheme), ("/relative", .scheme),
            ("http://user:pw@example.org/", .scheme), ("http://good.example@evil.example/", .scheme),
            ("http://example.org:22/", .port), ("http://example.org:5432/", .port), ("http://example.org:6379/", .port),
            ("http://example.org:11211/", .port),
            ("http://example.org:0/", .port), ("http://example.org:65536/", .port), ("http://example.org:+80/", .port),
            ("http://example.org:8a/", .port),
            ("http://0x7f.1/", .address), ("http://2130706433/", .address), ("http://0177.0.0.1/", .address),
            ("http://127.1/", .address), ("http://127.0.0.1./", .address),
            ("http://0x7f000001/", .address), ("http://1.2.3.4.5/", .address), ("http://256.0.0.1/", .address),
            ("http://x.0x10/", .address), ("http://x.0x/", .address),
            ("http://[fe80::1%25eth0]/", .address), ("http://[127.0.0.1]/", .address), ("http://[::1/", .address),
            ("http:///x", .address), ("http://", .address),
            ("http://%31%32%37.0.0.1/", .address), ("http://１２７.0.0.1/", .address), ("http://a b/", .address),
            ("http://:80/", .address),
        ])
    func refused(text: String, expected: CrawlReason) {
        #expect(reason(text) == expected)
    }

    @Test("references resolve against the URL")
    func resolving() throws {
        let page = try WebURL("https://example.org/a/b/?x")

        #expect(
            try page.resolving("//other.example/w/api.php?action=rsd").description
                == "https://other.example/w/api.php?action=rsd")
        #expect(try page.resolving("../xmlrpc.php?rsd").description == "https://example.org/a/xmlrpc.php?rsd")
        #expect(throws: CrawlFailure.self) { try page.resolving("data:text/plain,x") }
    }
}
