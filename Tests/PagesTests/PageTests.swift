import PageTestSupport
import Testing

@testable import Pages

@Suite("Pages")
struct PageTests {
    @Test("every page is whole in every language", arguments: Samples.all)
    func whole(page: PageSample) {
        PageRules.whole(page)
    }

    @Test(
        """
        no page has style of its own, script but that of pages that wait or ask the browser, or anything from \
        elsewhere
        """,
        arguments: Samples.all)
    func policy(page: PageSample) {
        PageRules.policy(page)
    }

    @Test(
        "every form that changes something has the token; a form that only asks has none in its address",
        arguments: Samples.all)
    func token(page: PageSample) {
        PageRules.token(page)
    }

    @Test("one h1, no heading level skipped, ids once, and every reference has its id", arguments: Samples.all)
    func outline(page: PageSample) {
        PageRules.outline(page)
    }

    @Test(
        "every field that is seen has a label, and says what may fill it in; the cursor is in one place at most",
        arguments: Samples.all)
    func fields(page: PageSample) {
        PageRules.fields(page)
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.pages.templates, ["strings": Strings.english])
    }

    @Test("words are spelled as they should be", arguments: Language.allCases)
    func spelling(language: Language) {
        PageWording.spelling(Samples.pages(language))
    }
}
