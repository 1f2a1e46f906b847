import Testing
import Vocabulary

@Suite("RFC 6454, 6.2: origins of web pages")
struct WebOriginTests {
    @Test(
        "an origin is taken as browsers write it",
        arguments: [
            "https://app.example.org", "https://app.example.org:8443", "https://xn--bcher-kva.example",
            "https://192.0.2.1", "https://[2001:db8::1]:444", "https://localhost", "http://localhost:5173",
            "http://127.0.0.1", "http://[::1]:8000",
        ])
    func taken(_ text: String) throws { #expect(try WebOrigin(text).description == text) }

    @Test(
        "what no browser writes, or many pages share, is refused",
        arguments: [
            ("", "not absolute"), ("null", "not absolute"), ("*", "scheme"), ("https://*.example.org", "no name"),
            ("http://app.example.org", "https"), ("http://localhost.example.org", "https"),
            ("capacitor://localhost", "https"), ("file://", "no host"), ("javascript:alert(1)", "https"),
            ("https:app.example.org", "https"), ("https://app.example.org/", "behind"),
            ("https://app.example.org/path", "behind"), ("https://app.example.org?q", "behind"),
            ("https://app.example.org#f", "behind"), ("https://ada@app.example.org", "user information"),
            ("https://APP.example.org", "browsers"), ("HTTPS://app.example.org", "browsers"),
            ("https://app.example.org:443", "browsers"), ("http://localhost:80", "browsers"),
            ("https://app.example.org:0443", "port"), ("https://app.example.org:", "port"),
            ("https://app.example.org.", "no name"), ("https://bücher.example", "ASCII"),
            ("https://app.example.org, https://evil.example", "blank"), ("https://2130706433", "number"),
            ("https://app.example.org\u{0}", "control"),
        ])
    func refused(_ text: String, _ why: String) {
        let error = #expect(throws: WebOrigin.Malformed.self) { try WebOrigin(text) }

        #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
    }

    @Test("it is as long as a host may be, and no longer")
    func length() throws {
        let host = Array(repeating: String(repeating: "a", count: 62), count: 4).joined(separator: ".")

        #expect(throws: Never.self) { try WebOrigin("https://\(host):65535") }
        #expect(throws: WebOrigin.Malformed.self) { try WebOrigin("https://\(host).aaaaaaaaaaaaaaaa:65535") }
    }
}
