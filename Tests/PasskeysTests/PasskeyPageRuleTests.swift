import PageTestSupport
import Testing

@testable import Pages
@testable import Passkeys

@Suite("Pages of passkeys, as all pages")
struct PasskeyPageRuleTests {
    @Test("what holds of every page holds in every language", arguments: PasskeyPageSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { PasskeyPageSamples.pages(language, $0) }
    }

    @Test("words are spelled as they should be, and strangers' stay in their line", arguments: Language.allCases)
    func wording(language: Language) {
        PageWording.spelling(PasskeyPageSamples.pages(language))
        PageWording.direction { PasskeyPageSamples.pages(language, $0) }
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.passkeys.templates, ["strings": Strings.english, "own": PasskeyStrings.english])
    }
}
