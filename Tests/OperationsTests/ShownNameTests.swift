import Testing

@testable import Operations

@Suite("What a phone says of itself")
struct ShownNameTests {
    @Test(
        """
        control characters and what turns the direction of writing are dropped; letters of any script and joined \
        emoji stay
        """,
        arguments: [
            ("my\u{0} pho\u{9B}ne\n", "my phone"), ("Ada\u{202E}enohp\u{202C}", "Adaenohp"),
            ("\u{2066}a\u{2069}\u{2067}b\u{2068}", "ab"), ("\u{200E}x\u{200F}\u{61C}", "x"),
            ("\u{202A}1\u{202B}2\u{202D}3", "123"), ("הטלפון של עדה", "הטלפון של עדה"), ("👩\u{200D}💻", "👩\u{200D}💻"),
        ])
    func dropped(told: String, shown: String) {
        #expect(ControlCharacters.dropped(from: told, limit: 100) == shown)
    }

    @Test(
        "it is cut after that, and nothing left is nothing",
        arguments: [("\u{202E}abcd", "abc"), ("\u{202E}\u{0}", nil), ("", nil), (nil, nil)] as [(String?, String?)])
    func cut(told: String?, shown: String?) {
        #expect(ControlCharacters.dropped(from: told, limit: 3) == shown)
    }
}
