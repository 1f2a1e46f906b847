import PageTestSupport
import Pages
import Testing

@Suite("Pages of approving, as all pages")
struct ApprovalPageRuleTests {
    @Test("what holds of every page holds in every language", arguments: ApprovalPageSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { ApprovalPageSamples.pages(language, $0) }
    }

    @Test("words are spelled as they should be, and strangers' stay in their line", arguments: Language.allCases)
    func wording(language: Language) {
        PageWording.spelling(ApprovalPageSamples.pages(language))
        PageWording.direction { ApprovalPageSamples.pages(language, $0) }
    }
}
