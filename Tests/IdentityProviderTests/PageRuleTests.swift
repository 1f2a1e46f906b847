import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages

@Suite("Pages of logging in, consent and the account, as all pages")
struct PageRuleTests {
    @Test("what holds of every page holds in every language", arguments: PageSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test("words are spelled as they should be", arguments: Language.allCases)
    func spelling(language: Language) {
        PageWording.spelling(PageSamples.pages(language))
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(
            Layout.identityProvider.templates,
            ["strings": Strings.english, "own": IdentityProviderStrings.english])
    }
}
