import PageTestSupport
import Testing

@testable import Liquid
@testable import Pages

@Suite("The demo page of liquid, as all pages")
struct LiquidDemoPageRuleTests {
    private static func pages(_ language: Language) -> [PageSample] {
        [false, true].map {
            let page = LiquidDemoPage(
                language, root: "https://pando.example", request: "019a9f5e-6c1d-7c3a-9b0e-2f4d6a8c0e12",
                isRelayed: $0)
            return PageSample("liquidDemo\($0)", language, page.html, script: LiquidDemoScript.address)
        }
    }

    @Test("what holds of every page holds in every language", arguments: Language.allCases)
    func rules(language: Language) {
        let pages = LiquidDemoPageRuleTests.pages(language)
        for page in pages { PageRules.all(page) }
        PageWording.spelling(pages)
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(Layout.liquid.templates, ["strings": Strings.english, "own": LiquidDemoStrings.english])
    }

    @Test("each state of the script has its line")
    func states() {
        let html = LiquidDemoPageRuleTests.pages(.en)[0].html
        for state in ["connecting", "waiting", "linked", "open", "offline", "expired", "over"] {
            #expect(html.contains("data-state=\"\(state)\""), "\(state)")
            #expect(LiquidClientScript.module.contains("\"\(state)\""), "\(state)")
        }
    }
}
