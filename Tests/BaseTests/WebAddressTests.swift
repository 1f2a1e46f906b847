import Base
import Foundation
import Testing

@Suite("RFC 3986, 6.2: web addresses in one spelling")
struct WebAddressTests {
    @Test(
        "scheme and host in lower case, no default port, no trailing slash, no fragment",
        arguments: [
            ("https://example.org", "https://example.org"), ("HTTPS://EXAMPLE.org/", "https://example.org"),
            ("https://example.org:443/a/", "https://example.org/a"),
            ("http://example.org:80/a//", "http://example.org/a"),
            ("http://example.org:8080", "http://example.org:8080"),
            ("https://example.org:80/", "https://example.org:80"),
            ("https://example.org/A/b", "https://example.org/A/b"),
            ("https://example.org/a%2Fb", "https://example.org/a%2Fb"),
            ("https://example.org/a?b=C", "https://example.org/a?b=C"),
            ("https://example.org/#top", "https://example.org"), ("http://[::1]:8080/", "http://[::1]:8080"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("http://[0:0::0001]/", "http://[::1]"), ("https://[2001:DB8::A]/", "https://[2001:db8::a]"),
            ("https://example.org:/", "https://example.org"),
            ("https://xn--exmple-cua.org", "https://xn--exmple-cua.org"), ("https://a.1b/", "https://a.1b"),
        ])
    func spelling(_ text: String, _ canonical: String) throws {
        let address = try #require(WebAddress(text))

        #expect(address.description == canonical)
        #expect(WebAddress(canonical) == address)
    }

    @Test(
        "what is no web address",
        arguments: [
            "", "example.org", "//example.org", "/path", "ftp://example.org", "javascript:alert(1)", "https://",
            "https:///a", "https://user@example.org", "https://user:secret@example.org",
            "https://example.org/a/../b", "https://example.org/./a", "https://example.org/..", "mailto:a@example.org",
            "https://exa mple.org",
            "https://example.org/" + String(repeating: "a", count: 2_048),
        ])
    func refused(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(
        "found by fuzzing: what other readers take for another host, or for no address at all",
        arguments: [
            "https://example.org%40evil.example", "https://example.org%2Fevil.example", "https://exampl%65.org",
            "https://example.org\\@evil.example", "https://ex\u{E4}mple.org",
            "https://example.org\u{FF0F}evil.example", "https://example\u{FF0E}org", "https://exa\u{AD}mple.org",
            "https://example.org/\u{212A}", "https://example.org/a b", "https://example.org/\r\nA: b",
            "https://exa\tmple.org", "https://example.org/{a}", "https://example.org/?a=|", "https://example.org/%zz",
            "http://[fe80::1%25eth0]", "http://[zz]", "http://[v1.a]",
            "http://[127.0.0.1]", "https://127.1", "https://0x7f.1", "https://0177.0.0.1", "https://127.999.0.1",
            "https://2130706433", "https://example.0x", "https://.",
            "https://example.org:0", "https://example.org:65536", "https://example.org/a/%2e%2E/b",
            "https://example.org/%2E", "https://example.org/.%2e/",
        ])
    func misread(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test("origin and address without query")
    func parts() throws {
        let address = try #require(WebAddress("HTTPS://Example.org:8443/a/b/?c=d#e"))

        #expect(
            address.origin == "https://example.org:8443" && address.withoutQuery == "https://example.org:8443/a/b"
                && address.query == "c=d")
        #expect(address.path == "/a/b" && address.port == 8_443)
    }

    @Test(
        "loopback as written",
        arguments: [
            ("http://localhost:8080", true), ("http://LOCALHOST", true), ("http://127.0.0.1", true),
            ("http://127.255.0.3:1", true), ("http://[::1]", true), ("http://[0::1]", true),
            ("http://[::ffff:127.0.0.1]", false),
            ("http://localhost.example.org", false), ("http://127.0.0.1.example.org", false),
            ("http://128.0.0.1", false), ("http://example.org", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(WebAddress(text)).isLoopback == isLoopback)
    }
}

@Suite("RFC 7519, 2 and RFC 3339: times")
struct TimeTests {
    @Test(
        "NumericDate rounds down, before 1970 too",
        arguments: [(0.0, 0), (1.9, 1), (-0.1, -1), (1_800_000_000.999, 1_800_000_000)])
    func numericDate(_ seconds: TimeInterval, _ number: Int) {
        #expect(Date(timeIntervalSince1970: seconds).numericDate == number)
        #expect(Date(numericDate: number).timeIntervalSince1970 == TimeInterval(number))
    }

    @Test(
        "RFC 3339 in UTC, to the second; offsets and fractions are read",
        arguments: [
            ("2027-01-15T08:00:00Z", 1_800_000_000), ("2027-01-15T09:00:00+01:00", 1_800_000_000),
            ("2027-01-15T08:00:00.750Z", 1_800_000_000.75), ("1969-12-31T23:59:59Z", -1),
        ] as [(String, TimeInterval)])
    func rfc3339(_ text: String, _ seconds: TimeInterval) throws {
        let date = try #require(Date(rfc3339: text))

        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
        #expect(Date(rfc3339: date.rfc3339) == Date(numericDate: date.numericDate))
    }

    @Test("what is no time", arguments: ["", "now", "2027-01-15", "2027-13-15T08:00:00Z", "1800000000"])
    func refused(_ text: String) {
        #expect(Date(rfc3339: text) == nil)
    }
}
