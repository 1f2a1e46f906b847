import Pages
import Testing

@Suite("Choosing a language")
struct LanguageTests {
    @Test(
        "Accept-Language: weights, then order, then English",
        arguments: [
            (nil, .en), ("", .en), ("de", .de), ("de-CH", .de), ("DE-ch-1996", .de), ("fr-FR,fr;q=0.9,en;q=0.8", .fr),
            ("it;q=0.5, fr;q=0.7", .fr), ("it,de", .it),
            ("it;q=0.5,de;q=0.5", .it), ("rm,de;q=0.8,en;q=0.1", .de), ("ja", .en), ("ja, de;q=0.001", .de),
            ("de;q=0, fr;q=0.1", .fr), ("de;q=0", .en),
            ("*", .en), ("*, de;q=0.5", .en), ("en;q=0, *", .de), ("fr;q=0.3, *;q=0.2", .fr),
            ("de;Q=0.1,fr;q=1.000", .fr), (" de ; q=0.4 , fr ; q=0.5 ", .fr),
            ("de-CH;q=0.2, fr;q=0.3, de;q=0.9", .de),
        ] as [(String?, Language)])
    func header(text: String?, expected: Language) {
        #expect(Language(accepting: text) == expected)
    }

    @Test(
        "what is not written as RFC 9110 has it is passed over",
        arguments: [
            ("de;q=2,fr;q=0.1", .fr), ("de;q=-1,fr;q=0.1", .fr), ("de;q=0.1234,fr;q=0.1", .fr), ("de;q=,fr;q=0.1", .fr),
            ("de;q=1.5,it", .it), ("de;level=1,fr", .fr),
            ("de;q=1;q=1,fr", .fr),
            ("de;q=nan,fr;q=0.1", .fr), ("de;q=1e9,fr;q=0.1", .fr), (";;;,,,q=1,=,de", .de), ("d e, it", .it),
            ("d\te", .en), ("d/e, it", .it), ("deutsch, it", .it),
            ("\u{130}t, fr", .fr), ("de\0, fr", .fr), ("-de, fr", .fr),
            ("<script>, fr", .fr),
        ] as [(String, Language)])
    func malformed(text: String, expected: Language) {
        #expect(Language(accepting: text) == expected)
    }

    @Test("of a header without end only the beginning is read")
    func endless() {
        #expect(Language(accepting: String(repeating: "x,", count: 500_000) + "de") == .en)
        #expect(Language(accepting: String(repeating: " ", count: 2_000) + "de") == .en)
        #expect(Language(accepting: "de," + String(repeating: "fr;q=1,", count: 500_000)) == .de)
        #expect(Language(accepting: nil, uiLocales: String(repeating: "xx ", count: 500_000) + "it") == .en)
    }

    @Test(
        "ui_locales goes first, in its order; the header counts when it names no language of ours",
        arguments: [
            ("fr-CH fr en", "de", .fr), ("ja it", "de", .it), ("ja", "de", .de), ("", "de", .de), ("  ", nil, .en),
            ("DE", nil, .de), ("fr;q=0", "it", .it), ("*", "it", .it),
        ] as [(String, String?, Language)])
    func locales(asked: String, header: String?, expected: Language) {
        #expect(Language(accepting: header, uiLocales: asked) == expected)
    }
}
