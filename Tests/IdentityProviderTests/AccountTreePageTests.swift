import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import OAuth
@testable import Pages

@Suite("The account as a tree, and the pages beside it")
struct AccountTreePageTests {
    @Test("what holds of every page holds in every language", arguments: AccountTreeSamples.all)
    func rules(page: PageSample) {
        PageRules.all(page)
    }

    @Test("words are spelled as they should be", arguments: Language.allCases)
    func spelling(language: Language) {
        PageWording.spelling(AccountTreeSamples.pages(language))
    }

    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func skeleton(text: String, language: Language) {
        PageWording.escaping(text) { AccountTreeSamples.pages(language, $0) }
    }

    @Test("marks that turn the direction of a line are not shown", arguments: Language.allCases)
    func direction(language: Language) {
        PageWording.direction { AccountTreeSamples.pages(language, $0) }
    }

    @Test("each branch says before it is ended what ends with it and what goes on, and needs no script for it")
    func branches() throws {
        let page = try #require(AccountTreeSamples.pages(.en).first { $0.name == "accountTree" }).html
        let forms = Markup(page).forms.filter { $0.tag.attributes["action"] == "/account/branches/end" }

        // Three services with two apps, below two phones and an application.
        #expect(forms.count == 3 * 5)
        #expect(Markup(page).forms.filter { $0.tag.attributes["action"] == "/account/services/end" }.count == 3 * 3)
        #expect(page.matches(of: #/<details><summary/#).count == Markup(page).forms.count)
        #expect(page.contains("This app loses its access to this service."))
        #expect(page.contains("Only the service knows which apps have access there."))
        #expect(page.contains("Other phones, your browsers"))
        #expect(Markup(page).all("script").isEmpty)
    }

    @Test("a service that was opened here alone has one end, one that an application acts at as well has another")
    func everywhere() {
        func page(actsAt: [String]) -> String {
            AccountPage(
                .en, person: PersonShown(name: nil, username: "ada"),
                instances: [
                    .init(
                        id: "i", name: nil, deviceType: nil, osVersion: nil, app: "App", version: "1",
                        lastSeen: AccountTreeSamples.day,
                        services: [AccountTreeSamples.node(.service, "Lectures", [])])
                ],
                applications: [
                    .init(
                        client: ClientShown(name: "Notes", host: nil), id: "c", scopes: [], actsAt: actsAt,
                        since: AccountTreeSamples.day)
                ], sessions: [], formToken: "t"
            ).html
        }

        #expect(!page(actsAt: ["Library"]).contains("End everywhere"))
        #expect(page(actsAt: ["Lectures"]).contains("End everywhere<span class=\"unseen\"> <bdi>Lectures</bdi></span>"))
    }

    @Test("what cannot be undone is asked first, with what it does, and needs no script for it; what can be is not")
    func asks() throws {
        let words = Strings.Account.Section(
            title: "Keys", lead: "You log in.", effect: "No more.", none: "None.", button: "Remove")
        let pages = [true, false].map { asksFirst in
            let keys = AccountSection(
                "keys", words, [.init(name: "Key", facts: [], id: "1")], action: "/account/keys/remove", field: "key",
                asksFirst: asksFirst)
            return AccountPage(
                .en, person: PersonShown(name: nil, username: "ada"), logins: [keys], instances: [], applications: [],
                sessions: [], formToken: "t"
            ).html
        }
        let question = try #require(pages[0].firstMatch(of: #/<details>.*<\/details>/#.dotMatchesNewlines())).0

        #expect(pages.map { Markup($0).unasked } == [[], ["/account/keys/remove"]])
        #expect(question.matches(of: #/<summary[^>]*>Remove|<button[^>]*>Remove/#).count == 2)
        #expect(question.contains("<p>No more.</p>") && question.contains("This cannot be undone"))
        #expect(pages[1].contains("You log in. No more.") && !pages[1].contains("cannot be undone"))
        #expect(pages.allSatisfy { Markup($0).all("script").isEmpty })
    }

    @Test("lists that are empty stand last")
    func order() {
        let page = AccountPage(
            .en, person: PersonShown(name: nil, username: "ada"), instances: [], applications: [],
            sessions: [
                .init(
                    id: "s", device: nil, since: AccountTreeSamples.day, lastSeen: AccountTreeSamples.day,
                    isCurrent: true, clients: [])
            ], formToken: "t"
        ).html

        #expect(Markup(page).all("h2").compactMap { $0.attributes["id"] } == ["sessions", "phones", "applications"])
        #expect(!page.contains("/account/others/end"), "there is no other")
    }

    @Test("times are told to the minute")
    func times() {
        #expect(TimeShown.text(AccountTreeSamples.day, .en) == "5 November 2026, 17:33 UTC")
        #expect(TimeShown.text(AccountTreeSamples.day, .de) == "5. November 2026, 17:33 UTC")
    }

    @Test(
        "an address is told as precisely as it tells where somebody was",
        arguments: [
            ("192.0.2.77", "192.0.2.0/24"), ("2001:db8:1:2::3", "2001:db8:1::/48"),
            ("::ffff:192.0.2.77", "192.0.2.0/24"), ("tty1", nil), ("", nil), (nil, nil),
        ] as [(String?, String?)])
    func place(origin: String?, expected: String?) {
        #expect(AccountActivity.place(origin) == expected)
    }
}
