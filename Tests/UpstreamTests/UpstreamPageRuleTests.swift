import PageTestSupport
import Testing

@testable import Pages
@testable import Upstream

@Suite("Pages of institutions, as all pages")
struct UpstreamPageRuleTests {
    @Test("what holds of every page holds in every language", arguments: UpstreamPageSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { UpstreamPageSamples.pages(language, $0) }
    }

    @Test("words are spelled as they should be, and strangers' stay in their line", arguments: Language.allCases)
    func wording(language: Language) {
        PageWording.spelling(UpstreamPageSamples.pages(language))
        PageWording.direction { UpstreamPageSamples.pages(language, $0) }
    }

    @Test("who takes a link away is asked first")
    func unlinking() throws {
        let page = Markup(try #require(UpstreamPageSamples.pages(.en).first { $0.name == "account" }).html)

        #expect(page.forms.map { $0.tag.attributes["action"] } == ["/account/institutions/remove"])
        #expect(page.unasked == [])
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.upstream.templates, ["strings": Strings.english, "own": UpstreamStrings.english])
    }
}
