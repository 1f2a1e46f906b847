import Foundation
import Testing

@testable import Pages

@Suite("Made fit to be shown")
struct ShownTests {
    @Test(
        "names lose what is invisible, turns or breaks the line; letters of all scripts stay",
        arguments: [
            ("Moodle", "Moodle"), ("  Uni \t\n Bern  ", "Uni Bern"), ("a\u{202E}b\u{2066}c\u{200F}d", "abcd"),
            ("a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e", "abcde"),
            ("\u{202E}\u{200B}", nil), ("", nil), (" ", nil),
            ("a\0b\u{1B}[31m", "a b [31m"), ("a\u{2028}b", "a b"),
            ("Zürich Università Éducation", "Zürich Università Éducation"),
            ("دانشگاه\u{200C}ها", "دانشگاه\u{200C}ها"), ("👩\u{200D}🔬", "👩\u{200D}🔬"), ("\u{200D}\u{200C}", nil),
            ("\u{E0041}\u{E000}x\u{2800}\u{3164}", "x"), ("e\u{301}", "e\u{301}"),
        ] as [(String, String?)])
    func tidied(text: String, expected: String?) {
        #expect(ShownText.tidy(text) == expected)
    }

    @Test("names have an end, and marks do not pile up")
    func bounded() {
        let long = ShownText.tidy(String(repeating: "ab ", count: 1_000_000)) ?? "",
            pile = ShownText.tidy("a" + String(repeating: "\u{301}", count: 1_000) + "b") ?? ""

        #expect(long.count == 121 && long.hasSuffix("…"))
        #expect(ShownText.tidy(String(repeating: "a", count: 120)) == String(repeating: "a", count: 120))
        #expect(pile.unicodeScalars.count == 6)
    }

    @Test("a client without a name is shown by its host, and never by nothing")
    func nameless() {
        #expect(ClientShown(name: "\u{202E}", host: "a.example").name == "a.example")
        #expect(ClientShown(name: "", host: nil).name == "?")
    }

    @Test(
        "browsers by what they say of themselves",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"),
            (
                """
                Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 \
                Safari/537.36 Edg/142.0.0.0
                """,
                "Edge", "Windows"
            ),
            (
                """
                Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                Version/18.0 Safari/605.1.15
                """,
                "Safari", "macOS"
            ),
            (
                """
                Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                CriOS/142.0 Mobile/15E148 Safari/604.1
                """,
                "Chrome", "iPhone"
            ),

            (
                """
                Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 \
                Chrome/130.0 Mobile Safari/537.36
                """,
                "Samsung Internet", "Android"
            ),
            (
                """
                Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 \
                Safari/537.36
                """,
                "Chrome", "ChromeOS"
            ),
            ("curl/8.0", nil, nil), (String(repeating: " ", count: 600) + "Firefox/1 Linux", nil, nil),
        ] as [(String, String?, String?)])
    func browsers(agent: String, name: String?, system: String?) {
        let browser = BrowserShown(userAgent: agent)

        #expect(browser.name == name && browser.system == system)
    }

    @Test(
        "days in the person's language",
        arguments: [
            (Language.en, "5 November 2026"), (.de, "5. November 2026"), (.fr, "5 novembre 2026"),
            (.it, "5 novembre 2026"),
        ])
    func days(language: Language, text: String) {
        #expect(DayShown.text(Date(timeIntervalSince1970: 1_793_900_000), language) == text)
    }

    @Test("a browser is told in words, in the phone's language")
    func browser() {
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

        #expect(
            Language.en.browser(agent) == "Firefox on Linux" && Language.en.browser(nil) == nil
                && Language.en.browser("curl/8") == nil)
    }
}
