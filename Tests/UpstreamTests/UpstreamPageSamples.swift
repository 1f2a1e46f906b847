import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import Pages
@testable import Upstream

/// Pages of this room in every state; `text` stands wherever somebody else's words can stand.
enum UpstreamPageSamples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (finding(language, text) + refused(language) + links(language, text) + accounts(language, text)).map {
            PageSample($0.0, language, $0.1)
        }
    }

    private static func finding(_ language: Language, _ text: String) -> [(String, String)] {
        let choice = FindingPage.Choice(name: text, href: "/login/institution/uni?return_to=%2Faccount")
        let full = FindingPage(
            language, words: text, reference: text, returnTo: text, isAgain: true, action: "/login/institution",
            last: choice, choices: [choice], isMore: true, back: "/login?return_to=%2Faccount&here=1")
        let empty = FindingPage(
            language, words: text, action: "/login/institution", last: nil, choices: [], isMore: false,
            back: "/account")
        return [("finding", full.html), ("findingNothing", empty.html)]
    }

    private static func refused(_ language: Language) -> [(String, String)] {
        UpstreamRefusal.Kind.allCases.map { kind in
            (
                "refused-\(kind.rawValue)",
                RefusedPage(
                    language, kind, again: "/login/institution?return_to=%2Faccount",
                    password: "/login?return_to=%2Faccount&here=1"
                ).html
            )
        }
    }

    private static func links(_ language: Language, _ text: String) -> [(String, String)] {
        [
            (
                "unknown",
                UnknownPage(
                    language, institution: text, person: text, onward: "/login?return_to=%2Faccount", back: "/login"
                ).html
            ),
            (
                "link",
                LinkPage(
                    language, institution: text, there: text, here: text, attempt: text, formToken: text,
                    onward: "/account"
                ).html
            ),
        ]
    }

    private static func accounts(_ language: Language, _ text: String) -> [(String, String)] {
        let card = AccountSection.Card(name: ShownText.tidy(text) ?? "–", facts: [], id: text)
        func page(_ cards: [AccountSection.Card], _ notice: AccountNotice?) -> String {
            AccountPage(
                language, person: PersonShown(name: text, username: text),
                logins: [AccountSection.section(cards, language)], instances: [], applications: [], sessions: [],
                formToken: text, notice: notice
            ).html
        }
        let notices = AccountNotice.ofInstitutions.enumerated().map { ("account\($0)", page([card], $1)) }
        return notices + [("account", page([card], nil)), ("accountEmpty", page([], nil))]
    }
}
