import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Liquid
@testable import Pages

@Suite("What the account page lists of wallets")
struct WalletPageTests {
    let day = Date(timeIntervalSince1970: 1_793_900_000),
        agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"

    private func card(_ origins: [String], _ device: String?, isWallet: Bool = false) -> AccountSection.Card {
        OpenedPage(id: "x", origins: origins, device: device, isWallet: isWallet, since: day, lastSeen: day).card(.en)
    }

    private static func account(_ opened: [OpenedPage], _ language: Language, _ text: String) -> String {
        AccountPage(
            language, person: PersonShown(name: "Ada", username: "ada"), logins: [.openedPages(opened, language)],
            instances: [], applications: [], sessions: [], formToken: text
        ).html
    }

    private func samples(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        let opened = [
            OpenedPage(
                id: text, origins: [text, "https://page.example.ch"], device: text, isWallet: false, since: day,
                lastSeen: day),
            OpenedPage(id: "abe", origins: [], device: nil, isWallet: false, since: day, lastSeen: day),
            OpenedPage(id: "abf", origins: [text], device: text, isWallet: true, since: day, lastSeen: day),
        ]
        return [("account", opened), ("accountEmpty", [])].map { name, opened in
            PageSample(name, language, WalletPageTests.account(opened, language, text))
        }
    }

    @Test("what a wallet opened is listed by host, or by browser")
    func opened() {
        let names = [
            card(["https://a.example"], agent), card(["https://a.example:8443", "https://b.example"], nil),
            card(["http://a.example"], nil), card([], agent), card([], nil),
            card(["https://a.example"], agent, isWallet: true), card([], "okhttp/5", isWallet: true),
        ].map { "\($0.name) \($0.badge ?? "-")" }

        #expect(
            names == [
                "a.example -", "https://a.example:8443 -", "http://a.example -", "Firefox on Linux -",
                "Unknown browser -",
                "Firefox on Linux Wallet", "Wallet -",
            ])
        #expect(
            card(["https://a.example:8443", "https://b.example"], nil).facts.first?.values
                == ["https://a.example:8443", "b.example"])
    }

    @Test("each has a way to end it; where there is none the list says so")
    func ends() {
        let page = OpenedPage(
            id: "one", origins: ["https://a.example"], device: agent, isWallet: false, since: day, lastSeen: day)
        let html = WalletPageTests.account([page], .en, "tok"), form = Markup(html).forms.first

        #expect(form?.tag.attributes["action"] == "/account/wallets/end" && html.contains("Firefox on Linux"))
        #expect(form?.fields.compactMap { $0.attributes["value"] } == ["tok", "one"])
        #expect(Markup(html).unasked == [], "what cannot be undone is asked first")
        #expect(WalletPageTests.account([], .en, "tok").contains("No page is open with your wallet."))
    }

    @Test("what holds of every page holds in every language", arguments: Language.allCases)
    func rules(language: Language) {
        samples(language).forEach(PageRules.all)
        PageWording.spelling(samples(language))
        PageWording.direction { samples(language, $0) }
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func escaping(text: String, language: Language) {
        PageWording.escaping(text) { samples(language, $0) }
    }
}
