import PageTestSupport
import Testing

@testable import Pages
@testable import Tiqr

@Suite("Pages of tiqr, as all pages")
struct TiqrPageRuleTests {
    @Test("what holds of every page holds in every language", arguments: TiqrPageSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { TiqrPageSamples.pages(language, $0) }
    }

    @Test("words are spelled as they should be, and strangers' stay in their line", arguments: Language.allCases)
    func wording(language: Language) {
        PageWording.spelling(TiqrPageSamples.pages(language))
        PageWording.direction { TiqrPageSamples.pages(language, $0) }
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.tiqr.templates, ["strings": Strings.english, "own": TiqrStrings.english])
    }
}
