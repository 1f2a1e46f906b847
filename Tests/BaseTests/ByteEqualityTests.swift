import Base
import Testing

@Suite("Texts that are one byte by byte")
struct ByteEqualityTests {
    @Test(
        "what Swift takes for one text, and nobody else does, is two",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}")])
    func canonical(one: String, other: String) {
        #expect(one == other)
        #expect(!one.isSame(as: other) && !other.isSame(as: one) && one.isSame(as: one) && other.isSame(as: other))
        #expect(!Optional(one).isSame(as: other))
    }

    @Test("nothing is the same as nothing, and as no text")
    func absent() {
        let nobody: String? = nil, empty: String? = ""

        #expect(nobody.isSame(as: nil) && empty.isSame(as: ""))
        #expect(!nobody.isSame(as: "") && !empty.isSame(as: nil))
    }

    @Test("a part of a text is compared as a text is")
    func parts() {
        #expect("client_id=x".dropFirst(10).isSame(as: "x") && "x".isSame(as: "xy".prefix(1)))
    }
}
