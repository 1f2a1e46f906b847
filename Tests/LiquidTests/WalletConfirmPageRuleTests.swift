import PageTestSupport
import Testing

@testable import Liquid
@testable import Pages

@Suite("The question whose wallet it was, as all pages")
struct WalletConfirmPageRuleTests {
    private static let address = "KFS75R7RJ7JXRBC2TCTSZHEH4QOUL34OQXHIEO3HTUBB7GADK7ZL3GNCU4"

    private static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        let client = ClientShown(name: text, host: text)
        return [("", nil, nil), ("Client", client, text)].map { name, client, device in
            let page = WalletConfirmPage(
                language, client: client, address: device ?? address, device: device, attempt: text, answer: text,
                formToken: text)
            return PageSample("walletConfirm\(name)", language, page.html)
        }
    }

    @Test("what holds of every page holds in every language", arguments: Language.allCases)
    func rules(language: Language) {
        let pages = WalletConfirmPageRuleTests.pages(language)
        for page in pages { PageRules.all(page) }
        PageWording.spelling(pages)
        PageWording.direction { WalletConfirmPageRuleTests.pages(language, $0) }
    }

    @Test("a template names only what its page has")
    func names() {
        PageWording.names(
            Layout.walletCode.templates, ["strings": Strings.english, "own": WalletCodeStrings.english])
    }

    @Test(
        "whatever a wallet calls itself, the page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { WalletConfirmPageRuleTests.pages(language, $0) }
    }

    @Test("it shows the address whole, and asks yes or no", arguments: Language.allCases)
    func question(language: Language) {
        let page = WalletConfirmPageRuleTests.pages(language)[0].html, form = Markup(page).forms.first
        let decisions = form?.fields.filter { $0.attributes["name"] == "decision" }.compactMap {
            $0.attributes["value"]
        }

        #expect(page.contains("<bdi>\(WalletConfirmPageRuleTests.address)</bdi>"))
        #expect(form?.tag.attributes["action"] == "/login/wallet/confirm" && decisions == ["allow", "deny"])
    }

    @Test(
        "endings of this login say what to do in every language, and spell as all pages do",
        arguments: Language.allCases)
    func endings(language: Language) {
        let own = language.walletCode
        let messages = [own.unknown, own.another, own.unlinked, own.declined, own.refused]
        let pages = messages.enumerated().map { index, message in
            PageSample(
                "walletEnding\(index)", language,
                PhoneEndingPage(language, .other(message, reason: nil)).html)
        }

        for page in pages { PageRules.all(page) }
        PageWording.spelling(pages)
        #expect(Set(messages.map(\.title)).count == messages.count)
    }
}
