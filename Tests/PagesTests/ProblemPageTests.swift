import Pages
import Testing

@Suite("What a problem page says")
struct ProblemPageTests {
    @Test("a problem says what to do next; the protocol's words stand below, in English")
    func problem() {
        let page = ProblemPage(.it, .tooMany(seconds: 200), code: "slow_down", detail: "too fast").html

        #expect(page.contains("La preghiamo di riprovare tra 4 minuti."))
        #expect(page.contains("<code>slow_down</code><br><bdi lang=\"en\">too fast</bdi>"))
    }
}
