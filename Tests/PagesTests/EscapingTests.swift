import PageTestSupport
import Pages
import Testing

@Suite("Strings of strangers")
struct EscapingTests {
    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func skeleton(text: String, language: Language) {
        PageWording.escaping(text) { Samples.pages(language, $0) }
    }

    @Test("marks that turn the direction of a line are not shown", arguments: Language.allCases)
    func direction(language: Language) {
        PageWording.direction { Samples.pages(language, $0) }
    }
}
